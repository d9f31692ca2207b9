/// The families of `/metrics` in their order, each with what Prometheus shows of it (Docs/http.md, section 13).
enum MetricsFamily: String, CaseIterable {
  case messages = "baton_messages_total"
  case missed = "baton_missed_total"
  case connections = "baton_connections"
  case subscriptions = "baton_subscriptions"
  case links = "baton_links"
  case openMessages = "baton_open_messages"
  case unsent = "baton_unsent_bytes"
  case memory = "baton_memory_bytes"
  case uptime = "baton_uptime_seconds"
  case certificate = "baton_certificate_seconds"
  case nodeLeads = "baton_node_leads"
  case nodeReady = "baton_node_in_step"
  case nodeSpares = "baton_node_spares"
  case nodeEngine = "baton_node_engine_up"
  case recordLines = "baton_record_lines_total"
  case recordMissed = "baton_record_missed_total"
  case recordFailing = "baton_record_failing"
  case recordBytes = "baton_record_bytes"
  case recordHead = "baton_record_head"
  case storeFailing = "baton_store_failing"
  case storeLogBytes = "baton_store_log_bytes"
  case storedMessages = "baton_stored_messages"
  case deadLetters = "baton_dead_letters"
  case offers = "baton_offers_total"
  case offerSeconds = "baton_offer_seconds"
  case doubtful = "baton_link_doubtful_total"
  case linkOpen = "baton_link_open"
  case linkWaiting = "baton_link_waiting"
  case linkOldest = "baton_link_oldest_seconds"
  case linkConnections = "baton_link_connections"
  case linkState = "baton_link_state"

  /// The type that Prometheus knows.
  var type: String {
    switch self {
    case .messages, .missed, .offers, .doubtful, .recordLines, .recordMissed: "counter"
    case .offerSeconds: "histogram"
    default: "gauge"
    }
  }

  /// What it is, in a few words.
  var help: String {
    switch self {
    case .messages: "Messages that were taken in."
    case .missed: "Events that slow subscribers missed."
    case .connections: "Connections that are there."
    case .subscriptions: "Subscriptions that are there."
    case .links: "Links in all chains."
    case .openMessages: "Messages under way."
    case .unsent: "Bytes that wait to be sent to peers."
    case .memory: "Bytes of memory that are resident."
    case .uptime: "Seconds since the server started."
    case .certificate: "Seconds until the server's certificate ends, below 0 after that."
    case .nodeLeads: "1 if the node leads its cluster."
    case .nodeReady: "1 if the node leads, or could lead now."
    case .nodeSpares: "Nodes that could lead now in the place of the leader; the leader tells it."
    case .nodeEngine: "1 if the node reaches NATS."
    case .recordLines: "The number of the last line of the record."
    case .recordMissed: "Ends of messages that were not recorded, because too many lines waited."
    case .recordFailing: "1 while the record cannot be written."
    case .recordBytes: "Bytes of the record's files."
    case .recordHead: "The number of the record's last head."
    case .storeFailing: "1 while the store takes nothing in: its disk fails, or has less than min_free_bytes."
    case .storeLogBytes: "Bytes of the store's log (FILE-wal); more than 64 MiB for long: a program reads the store."
    case .storedMessages: "Durable messages that have no end yet."
    case .deadLetters: "Durable messages that were given up and are kept."
    case .offers: "Messages that ended so at the link."
    case .offerSeconds: "Seconds from an offer to its verdict."
    case .doubtful: "Messages of which it was not known whether they fit the link's condition."
    case .linkOpen: "Offers that the handlers of the link hold."
    case .linkWaiting: "Messages that wait for the link."
    case .linkOldest: "Seconds for which the oldest message has been at the link."
    case .linkConnections: "Connections that serve the link."
    case .linkState: "1 for the state of the link; of links that are told together, their number in each state."
    }
  }

  /// The next one, or nil.
  var next: MetricsFamily? {
    let all = MetricsFamily.allCases
    return all.firstIndex(of: self).flatMap { $0 + 1 < all.count ? all[$0 + 1] : nil }
  }
}
