/// What the porter says.
public func greeting(_ who: String) -> String { "Come in, \(who)." }
