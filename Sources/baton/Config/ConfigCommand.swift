import ArgumentParser

/// `baton config`: what has to do with the configuration file.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Check the configuration file, and ask it questions.",
    discussion: """
      The file says where the server listens, who may do what, which links stand in its chains, and its limits: baton \
      serve --config FILE. These commands read it. Only diff needs a server.

      EXAMPLES:
        baton config init > baton.yaml
        baton config check baton.yaml
        baton config diff baton.yaml
        baton config may moderator 'serve moderation/words' baton.yaml
      """,
    subcommands: [ConfigCheck.self, ConfigShow.self, ConfigDiff.self, ConfigInit.self, ConfigMay.self])
}
