import ArgumentParser
import BatonConfig
import Proxies

/// What stands in front of the server, and who is believed there.
struct ProxyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The address under which browsers reach the server through a proxy: https://HOST. It replaces public_address of the \
      file.
      """, valueName: "url"),
    transform: { text in
      do throws(HTTPName.Complaint) {
        return try HTTPName(publicAddress: text)
      } catch {
        throw ValidationError(error.message)
      }
    })
  var publicAddress: HTTPName?

  @Option(
    help: ArgumentHelp(
      """
      The address of a proxy that is believed when it says where its clients are, or a range of addresses. May be \
      repeated. It replaces proxies of the file.
      """, valueName: "address"),
    transform: { text in
      do throws(AddressRange.Flaw) {
        return try AddressRange(text)
      } catch {
        throw ValidationError(error.words(about: text))
      }
    })
  var proxy: [AddressRange] = []

  @Option(
    help: ArgumentHelp(
      """
      The header in which these proxies say it: x-forwarded-for or forwarded. It replaces proxy_header of the file.
      """, valueName: "header"),
    transform: { text in
      guard let header = ForwardingHeader(rawValue: text) else {
        throw ValidationError(ForwardingHeader.complaint(about: text))
      }
      return header
    })
  var proxyHeader: ForwardingHeader?
}
