import ArgumentParser
import BatonCluster
import BatonConfig

/// A cluster as a configuration file says it, for a command that asks NATS itself.
struct ClusterFile {
  let configuration: Configuration
  let cluster: ClusterEntry
  let plan: ClusterPlan

  /// Reads the file. What is wrong with it is printed, and ends the program.
  init(_ file: String) throws {
    let configuration = try ConfigOptions.telling { () throws(ConfigMistakes) in
      try Configuration.check(path: file).configuration
    }
    guard let cluster = configuration.cluster else { throw ValidationError("\(file) has no cluster") }
    plan = try ConfigOptions.telling { () throws(ConfigMistakes) in
      try cluster.plan(of: configuration, start: UInt128.random(in: 1 ... .max), configuration.coreSettings())
    }
    (self.configuration, self.cluster) = (configuration, cluster)
  }
}
