package import BatonCore

/// Everything that a scanner says of one line, as a value that can be compared and printed.
package struct ScanOutcome: Equatable {
  package var fault: ScanFault?
  package var present: MemberSet
  package var repeated: MemberSet
  package var hasUnknown: Bool
  /// By the member's raw value.
  package var values: [MemberValue]

  package init(_ fault: ScanFault?, from scanner: borrowing LineScanner) {
    self.fault = fault
    present = scanner.present
    repeated = scanner.repeated
    hasUnknown = scanner.hasUnknown
    values = []
    for member in Member.allCases { values.append(scanner[member]) }
  }

  /// The value of a member, `.absent` if there is none.
  package subscript(member: Member) -> MemberValue { values[Int(member.rawValue)] }
}
