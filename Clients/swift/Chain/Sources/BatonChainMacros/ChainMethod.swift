internal import SwiftParser
internal import SwiftSyntax

/// One method of the protocol: one topic.
struct ChainMethod {
  /// One parameter: a member of the payload.
  struct Parameter {
    /// The member's name: the label, or the name where there is no label.
    let member: String
    /// Its label with its colon for a call; nothing if it has none.
    let label: String
    /// Its name within the method.
    let name: String
    let type: String
  }

  let name: String
  /// The method as it stands in the protocol.
  let declaration: String
  let parameters: [Parameter]
  /// Whether the one parameter is the payload, and no member of it.
  let isPayload: Bool
  /// What it answers; nil if it is a notice.
  let answer: String?
  let isThrowing: Bool

  /// Reads a method. Tells what cannot go over the wire.
  init(_ function: FunctionDeclSyntax, _ faults: inout Faults) {
    name = function.name.text.plain
    declaration = function.with(\.modifiers, []).with(\.attributes, []).trimmedDescription
    let signature = function.signature
    if case .identifier = function.name.tokenKind {
    } else {
      faults.add("an operator has no name that could be a topic: write a method", at: function.name)
    }
    for modifier in function.modifiers {
      let word = modifier.name.text
      let why =
        word == "static"
        ? "nobody serves a static method: a message goes to a value" : "\(word) says nothing over the wire"
      faults.add("\(why); leave \(word) out", at: modifier)
    }
    if let generics = function.genericParameterClause {
      faults.add(
        "a generic method cannot go over the wire, because a payload has one type: name the type", at: generics)
    } else if let clause = function.genericWhereClause {
      faults.add("a method with conditions cannot go over the wire: leave the where out", at: clause)
    }
    let given = signature.parameterClause.parameters
    let parameters = given.map { ChainMethod.read($0, &faults) }
    self.parameters = parameters
    isPayload = parameters.count == 1 && parameters[0].label.isEmpty
    for (index, parameter) in given.enumerated()
    where parameters[..<index].contains(where: { $0.member == parameters[index].member }) {
      faults.add(
        "two parameters would be the member \(parameters[index].member): give one another label", at: parameter)
    }
    let result = signature.returnClause?.type
    answer = ChainMethod.answer(result, &faults)
    isThrowing = signature.effectSpecifiers?.throwsClause != nil
    checkEffects(of: function, &faults)
  }

  private func checkEffects(of function: FunctionDeclSyntax, _ faults: inout Faults) {
    let effects = function.signature.effectSpecifiers
    let isAsync = effects?.asyncSpecifier != nil
    let isGiving = function.signature.returnClause != nil && answer != nil
    if let type = effects?.throwsClause?.type {
      faults.add("a message can fail for other reasons than \(type.trimmedDescription), too: write throws", at: type)
    }
    if isGiving, !isAsync || !isThrowing {
      faults.add("an answer over the wire takes time, and can fail: write async throws", at: function.name)
    } else if !isAsync {
      faults.add("a message over the wire takes time: write async", at: function.name)
    }
  }

  // MARK: Types

  private static func read(_ parameter: FunctionParameterSyntax, _ faults: inout Faults) -> Parameter {
    let first = parameter.firstName.text
    let name = parameter.secondName?.text ?? first
    if name == "_" { faults.add("the parameter needs a name: _ name: Type", at: parameter) }
    if let ellipsis = parameter.ellipsis {
      faults.add("a variable number of arguments cannot go over the wire: take a list", at: ellipsis)
    }
    check(parameter.type, &faults)
    let hasLabel = first != "_"
    return Parameter(
      member: (hasLabel ? first : name).plain, label: hasLabel ? "\(first): " : "", name: name,
      type: parameter.type.trimmedDescription)
  }

  /// The type of an answer: what the result has before its question mark.
  private static func answer(_ result: TypeSyntax?, _ faults: inout Faults) -> String? {
    guard let result else { return nil }
    if let tuple = result.as(TupleTypeSyntax.self), tuple.elements.isEmpty { return nil }
    if ["Void", "Swift.Void"].contains(result.trimmedDescription) { return nil }
    var wrapped = result.as(OptionalTypeSyntax.self)?.wrappedType
    if wrapped == nil, let named = result.as(IdentifierTypeSyntax.self), named.name.text == "Optional",
      let argument = named.genericArgumentClause?.arguments.first?.argument, case .type(let type) = argument
    {
      wrapped = type
    }
    guard let wrapped else {
      faults.add(
        "a result must be optional: nil says that the message is for the next link, or that nobody took it; write "
          + "\(result.trimmedDescription)?", at: result)
      return result.trimmedDescription
    }
    if wrapped.is(OptionalTypeSyntax.self) {
      faults.add("nil would have two meanings: write one question mark", at: result)
    } else if ["Void", "()"].contains(wrapped.trimmedDescription) {
      faults.add("an answer of nothing cannot be told from none: answer Bool?", at: result)
    } else {
      check(wrapped, &faults)
    }
    return wrapped.trimmedDescription
  }

  /// Tells what no value of this type can be written as JSON.
  private static func check(_ type: TypeSyntax, _ faults: inout Faults) {
    let finder = UnsendableFinder(viewMode: .sourceAccurate)
    finder.walk(type)
    for (node, why) in finder.found { faults.add(why, at: node) }
  }
}

/// Finds in a type what cannot be written as JSON.
private final class UnsendableFinder: SyntaxVisitor {
  private(set) var found: [(Syntax, String)] = []

  override func visit(_ node: AttributedTypeSyntax) -> SyntaxVisitorContinueKind {
    // Of a closure with attributes, one fault is enough.
    guard !node.baseType.is(FunctionTypeSyntax.self) else { return .visitChildren }
    for specifier in node.specifiers {
      let word = specifier.trimmedDescription
      let why =
        word == "inout"
        ? "what the handler writes into an inout parameter does not come back: return it"
        : "\(word) says nothing over the wire: leave it out"
      found.append((Syntax(specifier), why))
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionTypeSyntax) -> SyntaxVisitorContinueKind {
    found.append((Syntax(node), "a closure cannot go over the wire: send a value, and get an answer"))
    return .skipChildren
  }

  override func visit(_ node: TupleTypeSyntax) -> SyntaxVisitorContinueKind {
    if node.elements.count == 1 { return .visitChildren }
    found.append((Syntax(node), "a tuple cannot go over the wire: write a struct that is Codable"))
    return .skipChildren
  }

  override func visit(_ node: SomeOrAnyTypeSyntax) -> SyntaxVisitorContinueKind {
    let word = node.someOrAnySpecifier.text
    found.append((Syntax(node), "\(word) cannot go over the wire, because a payload has one type: name the type"))
    return .skipChildren
  }

  override func visit(_ node: MetatypeTypeSyntax) -> SyntaxVisitorContinueKind {
    found.append((Syntax(node), "a type cannot go over the wire: send a value"))
    return .skipChildren
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    let name = node.name.text
    guard ["Any", "AnyObject", "Self"].contains(name) else { return .visitChildren }
    found.append((Syntax(node), "\(name) cannot go over the wire, because a payload has one type: name the type"))
    return .skipChildren
  }
}

extension String {
  /// A name without its backticks.
  var plain: String { first == "`" ? String(dropFirst().dropLast()) : self }

  /// A name as the label of an argument, where nearly all words may stand.
  var label: String { ["inout", "let", "var"].contains(self) ? "`\(self)`" : self }

  /// A name as it can be declared.
  var declarable: String { plain.isValidSwiftIdentifier(for: .variableName) ? plain : "`\(plain)`" }
}
