extension Asking {
  /// An alternative and what stands there: nothing, or no list with elements.
  func single(_ alternative: SaidCondition.Alternative, _ value: SaidJSON?) -> SaidAnswer {
    switch (alternative, value) {
    case (.exists(let isThere), nil): return SaidAnswer(!isThere)
    case (.anythingBut, nil): return .unknown
    case (_, nil): return .no
    case (_, .list): return empty(alternative)
    case (_, .object(let members)) where members.isEmpty: return empty(alternative)
    case (.exists(let isThere), .null): return broken == .nullValues ? SaidAnswer(isThere) : .unknown
    case (.equal(.null), .null): return .fits
    case (_, .null): return .unknown
    case (.exists(let isThere), _): return SaidAnswer(isThere)
    case (.anythingBut, .object): return .unknown
    case (_, .object): return .no
    case (.anythingBut(let all), .some(let value)): return opposite(.best(all.map { scalar($0, value) }))
    case (_, .some(let value)): return scalar(alternative, value)
    }
  }

  private func empty(_ alternative: SaidCondition.Alternative) -> SaidAnswer {
    switch alternative {
    case .exists(let isThere): broken == .emptyValues ? SaidAnswer(isThere) : .unknown
    case .anythingBut: .unknown
    default: .no
    }
  }

  private func opposite(_ answer: SaidAnswer) -> SaidAnswer {
    switch answer {
    case .no: .fits
    case .fits: .no
    case .unknown: broken == .oppositeOfUnknown ? .fits : .unknown
    }
  }

  /// A text, a number or a truth value.
  private func scalar(_ alternative: SaidCondition.Alternative, _ value: SaidJSON) -> SaidAnswer {
    let mixed: SaidAnswer = broken == .twoKinds ? .no : .unknown
    switch (alternative, value) {
    case (.equal(.null), _): return broken == .nothingIsNull ? .unknown : .no
    case (.equal(.truth(let left)), .truth(let right)): return SaidAnswer(left == right)
    case (.equal(.number(let number)), .number(let said)): return compare([("=", number)], said)
    case (.numeric(let bounds), .number(let said)): return compare(bounds, said)
    case (.equal(.text(let text)), .text(let said)):
      return unlessCut(said) { SaidAnswer($0 == Array(text.string.utf8)) }
    case (.prefix(let text), .text(let said)): return unlessCut(said) { SaidAnswer($0.starts(with: text.utf8)) }
    case (.suffix(let text), .text(let said)):
      if said.hasEscapes, said.written > 4096, broken != .longSuffixes { return .unknown }
      return unlessCut(said) { SaidAnswer($0.reversed().starts(with: text.utf8.reversed())) }
    case (.ignoringCase(let text), .text(let said)):
      return unlessCut(said) { _ in ignoringCase(text.unicodeScalars.map(\.value), said.scalars) }
    default: return mixed
    }
  }

  private func unlessCut(_ said: SaidJSON.SaidText, _ body: ([UInt8]) -> SaidAnswer) -> SaidAnswer {
    if said.scalars.contains(0), broken != .cutTexts { return .unknown }
    return body(Array(said.string.utf8))
  }

  private func ignoringCase(_ left: [UInt32], _ right: [UInt32]) -> SaidAnswer {
    func folded(_ scalar: UInt32) -> UInt32 { 0x41...0x5A ~= scalar ? scalar + 0x20 : scalar }
    let count = max(left.count, right.count)
    for at in 0..<count {
      let mine = at < left.count ? folded(left[at]) : 0
      let its = at < right.count ? folded(right[at]) : 0
      if mine == its { continue }
      return broken != .caseBeyondASCII && (mine > 0x7F || its > 0x7F) ? .unknown : .no
    }
    return .fits
  }

  private func compare(_ bounds: [(relation: String, number: String)], _ said: String) -> SaidAnswer {
    let number = SaidNumber(said)
    if broken != .longNumbers, said.utf8.count > 64 || number.exponentDigits > 4 { return .unknown }
    func holds(_ relation: String, _ order: Int) -> Bool {
      switch relation {
      case "=": order == 0
      case "<": order < 0
      case "<=": order <= 0
      case ">": order > 0
      default: order >= 0
      }
    }
    let exact = bounds.allSatisfy { holds($0.relation, number.order(SaidNumber($0.number))) }
    let double = Double(said) ?? 0
    let rounded = bounds.allSatisfy { bound in
      let other = Double(bound.number) ?? 0
      return holds(bound.relation, double < other ? -1 : double > other ? 1 : 0)
    }
    switch broken {
    case .numbersAsDoubles: return SaidAnswer(exact)
    case .numbersExactly: return SaidAnswer(rounded)
    default: return exact == rounded ? SaidAnswer(exact) : .unknown
    }
  }
}
