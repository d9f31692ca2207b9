/// What is too much of a right pattern under these settings; nil if nothing is (contract, section 3).
package func complaint(pattern: String, within settings: Settings) -> String? {
  let pattern = OwnedBytes(pattern)
  defer { extendLifetime(pattern) }
  return WordLimits(words: settings.maxTopicWords, stars: settings.maxPatternStars).complaint(pattern.bytes)
}
