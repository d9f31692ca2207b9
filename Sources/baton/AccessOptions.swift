import ArgumentParser

/// Who may do what, if no file says it.
struct AccessOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      """
      Everybody who can connect may do everything, also from other machines. Without it a server that others can reach \
      needs a file with peers or with open: true, or a token in BATON_TOKEN or BATON_TOKEN_FILE.
      """))
  var open = false
}
