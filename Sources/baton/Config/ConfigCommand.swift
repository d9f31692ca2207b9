import ArgumentParser

/// `baton config`: what has to do with the server's file and needs no server.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Check the server's file, and ask it questions.",
    discussion: """
      The file says where the server listens, who may do what, and its limits: baton serve --config FILE. These \
      commands read it. They need no server.

      EXAMPLES:
        baton config init > baton.yaml
        baton config check baton.yaml
        baton config may moderator 'serve moderation/words' baton.yaml
      """,
    subcommands: [ConfigCheck.self, ConfigShow.self, ConfigInit.self, ConfigMay.self])
}
