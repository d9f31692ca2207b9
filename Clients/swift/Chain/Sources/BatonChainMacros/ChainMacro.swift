public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Chain`: reads the protocol, and writes the sender and the handler. Where something cannot go over the wire, it
/// says so there and writes nothing.
public struct ChainMacro: PeerMacro {
  /// The sender and the handler.
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var faults = Faults(in: context)
    guard let declared = declaration.as(ProtocolDeclSyntax.self) else {
      faults.add("@Chain makes a sender and a handler of a protocol, and this is none", at: node)
      return []
    }
    let chain = ChainProtocol(declared, node, &faults)
    guard faults.isEmpty else { return [] }
    return [DeclSyntax(stringLiteral: chain.sender), DeclSyntax(stringLiteral: chain.handler)]
  }
}
