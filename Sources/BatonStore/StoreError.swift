/// Why a store cannot be used, in one line that says what to do.
package struct StoreError: Error, CustomStringConvertible, Sendable {
  package let description: String

  package init(_ description: String) { self.description = description }
}
