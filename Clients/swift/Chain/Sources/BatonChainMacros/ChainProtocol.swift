internal import SwiftSyntax

/// The protocol: its name, its topics, its methods.
struct ChainProtocol {
  let name: String
  /// `public ` or the like, for the types that are made.
  let access: String
  /// The same for their members.
  let memberAccess: String
  /// `@available` attributes, each with its line end.
  let availability: String
  let prefix: String
  private(set) var methods: [ChainMethod] = []

  /// Reads a protocol. Tells what cannot go over the wire.
  init(_ declared: ProtocolDeclSyntax, _ node: AttributeSyntax, _ faults: inout Faults) {
    name = declared.name.text
    let levels = ["public", "package", "internal", "fileprivate", "private"]
    let level = declared.modifiers.map(\.name.text).first { levels.contains($0) }
    access = level.map { "\($0) " } ?? ""
    memberAccess = level == "public" || level == "package" ? access : ""
    availability = declared.attributes
      .compactMap { $0.as(AttributeSyntax.self) }.filter { $0.attributeName.trimmedDescription == "available" }
      .map { "\($0.trimmedDescription)\n" }.joined()
    prefix = ChainProtocol.prefix(of: declared, node, &faults)
    checkHead(declared, &faults)
    for member in declared.memberBlock.members { read(member.decl, &faults) }
    if methods.isEmpty, faults.isEmpty {
      faults.add("\(name) has no methods, and so no topics: each method is one", at: declared.name)
    }
  }

  private func checkHead(_ declared: ProtocolDeclSyntax, _ faults: inout Faults) {
    if let types = declared.primaryAssociatedTypeClause {
      faults.add("associated types cannot go over the wire, because a payload has one type: name the type", at: types)
    }
    if let clause = declared.genericWhereClause {
      faults.add("a protocol with conditions cannot be a chain: leave the where out", at: clause)
    }
    var isSendable = false
    for inherited in declared.inheritanceClause?.inheritedTypes ?? [] {
      let name = inherited.type.trimmedDescription
      if name == "Sendable" || name == "Swift.Sendable" {
        isSendable = true
      } else {
        faults.add(
          "a macro does not see what \(name) asks for: write its methods here, and inherit Sendable only", at: inherited
        )
      }
    }
    if !isSendable {
      faults.add("handlers run beside each other: write protocol \(name): Sendable", at: declared.name)
    }
  }

  private mutating func read(_ member: DeclSyntax, _ faults: inout Faults) {
    if let function = member.as(FunctionDeclSyntax.self) {
      let method = ChainMethod(function, &faults)
      if methods.contains(where: { $0.name == method.name }) {
        faults.add(
          "two methods are named \(method.name), and would be one topic, \(prefix).\(method.name): give this one "
            + "another name", at: function.name)
      }
      methods.append(method)
    } else if let property = member.as(VariableDeclSyntax.self) {
      faults.add("a property cannot go over the wire: write a method, with an answer that is optional", at: property)
    } else if let subscripted = member.as(SubscriptDeclSyntax.self) {
      faults.add(
        "a subscript cannot go over the wire: write a method, with an answer that is optional", at: subscripted)
    } else if let initializer = member.as(InitializerDeclSyntax.self) {
      faults.add("an initializer cannot go over the wire: a handler is made where it runs", at: initializer)
    } else if let type = member.as(AssociatedTypeDeclSyntax.self) {
      faults.add("associated types cannot go over the wire, because a payload has one type: name the type", at: type)
    } else if let type = member.as(TypeAliasDeclSyntax.self) {
      faults.add("the handler that is made does not see this name: put it outside of the protocol", at: type)
    } else {
      faults.add("@Chain reads methods only; put #if around the whole protocol", at: member)
    }
  }

  /// The words before each topic: those that are said, or the name with a small first letter.
  private static func prefix(
    of declared: ProtocolDeclSyntax, _ node: AttributeSyntax, _ faults: inout Faults
  ) -> String {
    let name = declared.name.text.plain
    guard let arguments = node.arguments?.as(LabeledExprListSyntax.self), let given = arguments.first?.expression,
      !given.is(NilLiteralExprSyntax.self)
    else {
      // URLDoor is urlDoor.
      let capitals = name.prefix { $0.isUppercase }
      let count = capitals.count > 1 && capitals.count < name.count ? capitals.count - 1 : capitals.count
      return name.prefix(count).lowercased() + name.dropFirst(count)
    }
    guard let text = given.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      faults.add("the macro must know the topics: write a text here, without \\(…)", at: given)
      return ""
    }
    if let why = complaint(text) { faults.add(why, at: given) }
    return text
  }

  /// What is wrong with the beginning of a topic; nil if nothing is (contract, section 3).
  private static func complaint(_ text: String) -> String? {
    if text.hasPrefix("$") { return "topics that begin with $ are the server's own" }
    let words = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
    if words.contains(where: \.isEmpty) {
      return "a topic has words between dots, and none is empty: write house.door, without a dot at the end"
    }
    let isWrong = text.unicodeScalars.contains {
      $0.value <= 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "*" || $0 == ">"
    }
    if isWrong { return "a topic has no spaces, no control characters, no * and no >: write house.door" }
    return text.utf8.count > 128 ? "a topic has at most 255 bytes: write a shorter beginning" : nil
  }
}
