import ArgumentParser

/// `baton completions`: scripts that let a shell complete the program's arguments.
struct Completions: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print a script that lets a shell complete baton's arguments.",
    discussion: """
      Names of chains, handlers and topics come from the running server: that of --server, or of BATON_SERVER. If it \
      does not answer within half a second, none are offered; BATON_COMPLETION_MS says how many milliseconds \
      it has instead.

      EXAMPLES:
        baton completions bash > /etc/bash_completion.d/baton
        baton completions zsh > "${fpath[1]}/_baton"
        baton completions fish > ~/.config/fish/completions/baton.fish
      """)

  @Argument(help: "The shell.")
  var shell: Shell

  /// A shell that can complete.
  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  func run() throws {
    let script =
      switch shell {
      case .bash: BatonCommand.completionScript(for: .bash)
      case .zsh: BatonCommand.completionScript(for: .zsh)
      case .fish: BatonCommand.completionScript(for: .fish)
      }
    try put(Self.withoutExpansion(script))
  }

  /// The script of bash, offering words as they are: bash runs what stands in the words of `compgen -W`, and most of them
  /// are a server's. Any other text stays as it is.
  static func withoutExpansion(_ script: String) -> String {
    let begin = """
          local completion
          while IFS='' read -r completion; do

      """
    let words = #"""
          local completion
          if [[ "${1}" = -W ]]; then
              local -r begun="${cur//[\"\'\\]/}"
              while IFS='' read -r completion; do
                  [[ -n "${completion}" && "${completion}" = "${begun}"* ]] && COMPREPLY+=("${completion}")
              done <<<"${2}"
              return
          fi
          while IFS='' read -r completion; do

      """#
    return script.replacing(begin, with: words)
  }
}
