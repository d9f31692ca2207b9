/// The few names that all peers share, so that they meet often.
enum Vocabulary {
  static let chains = ["main", "kitchen", "house"]
  static let names = ["porter", "cook", "spam", "n_5", "n-6", "N8"]
}
