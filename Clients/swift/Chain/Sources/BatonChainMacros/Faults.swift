internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// What is wrong with a protocol, each fault where it stands.
struct Faults {
  private let context: any MacroExpansionContext
  private(set) var isEmpty = true

  init(in context: any MacroExpansionContext) { self.context = context }

  /// A fault, and how to mend it.
  mutating func add(_ message: String, at node: some SyntaxProtocol) {
    isEmpty = false
    context.diagnose(Diagnostic(node: Syntax(node), message: Fault(message: message)))
  }
}

private struct Fault: DiagnosticMessage {
  let message: String
  var diagnosticID: MessageID { MessageID(domain: "BatonChain", id: "fault") }
  var severity: DiagnosticSeverity { .error }
}
