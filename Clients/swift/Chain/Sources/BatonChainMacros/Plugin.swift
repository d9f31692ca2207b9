internal import SwiftCompilerPlugin
internal import SwiftSyntaxMacros

@main
struct BatonChainPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [ChainMacro.self]
}
