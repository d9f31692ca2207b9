internal import Logging
public import UV

/// Where the server listens, from its start and when that changes.
extension Server {
  /// Accepts peers at `endpoint` from now on. Returns the real endpoint: an address instead of a name, and the port
  /// that the system chose for port 0. Peers are answered once `run` is called.
  /// `options`: with which the program was given the place.
  public func listen(
    at endpoint: Endpoint, _ extras: ListeningOptions = ListeningOptions(),
    givenWith options: ListenError.Options = .hostAndPort
  ) throws(ListenError) -> Endpoint {
    try begin(ListeningPlace(endpoint, extras, givenWith: options, server: self))
  }

  /// The same at a place that nobody has named. If this throws, the server listens at the others as before.
  public func listenIfPossible(at entry: ListeningEntry) throws(ListenError) -> Endpoint {
    let place = ListeningPlace(entry.endpoint, entry.extras, givenWith: entry.options, server: self)
    let real = try place.open()
    places.append(place)
    return real
  }

  /// Tells that nobody is served at a place that nobody has named.
  public func tellMissing(_ error: ListenError) {
    lacksUnnamedPlace = true
    logger.warning(
      "HTTP is not served, and there is no console (--http off says that this is meant)",
      metadata: ["error": "\(error)"])
  }

  /// Accepts peers at a socket that another process has opened.
  public func listen(over handed: HandedOverSocket, _ extras: ListeningOptions) throws(ListenError) -> Endpoint {
    try begin(ListeningPlace(handed, extras, server: self))
  }

  private func begin(_ place: ListeningPlace) throws(ListenError) -> Endpoint {
    do throws(ListenError) {
      let real = try place.open()
      places.append(place)
      return real
    } catch {
      // A server at only some of its places would be half a server, and its socket files would outlive it.
      closePlaces()
      throw error
    }
  }

  /// Gives all places back. No file of a socket outlives a start that fails.
  public func closePlaces() { for place in places { place.close() } }

  /// Newcomers at sockets that were handed over wait for the next server from now on: whoever handed them over still has
  /// them open.
  func leaveToTheNext() { for place in places where place.isHandedOver { place.close() } }

  /// Whether a reload has a place to open although the file says the same: one that could not be had, or one whose
  /// socket's file somebody removed.
  public var lacksPlace: Bool { lacksUnnamedPlace || places.contains { $0.hasLostFile } }

  /// Whether other machines can reach one of its places.
  public var listensToOthers: Bool { places.contains { $0.isForOthers } }

  /// Whether other machines may send tokens over plain TCP.
  var takesPlainTokens: Bool { places.contains { $0.isForOthers && $0.takesPlainTokens } }

  // MARK: Changing it

  /// Opens the places that are new, and those whose socket's file somebody removed. Another place that was there stays
  /// open, also if only what is said beside it is new. If this throws, nothing has changed.
  public func prepare(listeningAt entries: [ListeningEntry]) throws(ListeningFault) -> ListeningChange {
    var left = places
    let kept = entries.map { entry in
      left.firstIndex { $0.isKept(as: entry) }.map { left.remove(at: $0) }
    }
    var (all, opened): ([(entry: Int, place: ListeningPlace)], [ListeningPlace]) = ([], [])
    var missing: [ListenError] = []
    var changed: [(place: ListeningPlace, old: ListeningOptions, new: ListeningOptions)] = []
    for (number, entry) in entries.enumerated() {
      if let place = kept[number] {
        all.append((number, place))
        if place.extras != entry.extras { changed.append((place, place.extras, entry.extras)) }
        continue
      }
      let place = ListeningPlace(entry.endpoint, entry.extras, givenWith: entry.options, server: self)
      let lost = left.firstIndex { $0.given == entry.endpoint && $0.hasLostFile }
      do throws(ListenError) {
        _ = try place.open(insteadOf: left)
        all.append((number, place))
        opened.append(place)
        if lost != nil {
          logger.warning("somebody removed the socket's file; it is made again", metadata: ["address": "\(place.name)"])
        }
      } catch {
        // What else the file says is carried out nevertheless.
        if let lost {
          all.append((number, left.remove(at: lost)))
          logger.warning(
            "nobody can connect there, for somebody removed the socket's file", metadata: ["error": "\(error)"])
          continue
        }
        if entry.mayBeMissing {
          missing.append(error)
          continue
        }
        for place in opened { place.close() }
        throw ListeningFault(entry: number, message: error.description)
      }
    }
    return ListeningChange(places: all, opened: opened, changed: changed, gone: left, missing: missing)
  }

  /// Carries a change out: places that are gone are closed, and their connections stay. If this throws, nothing has
  /// changed. What else the places need, a certificate for instance, has to be there.
  public func carryOut(_ change: ListeningChange) throws(ListeningFault) {
    for (count, one) in change.changed.enumerated() {
      do throws(ListenError) {
        try one.place.change(to: one.new)
      } catch {
        for one in change.changed[..<count] { try? one.place.change(to: one.old) }
        change.takeBack()
        let entry = change.places.first { $0.place === one.place }?.entry ?? 0
        throw ListeningFault(entry: entry, message: error.description)
      }
    }
    for place in change.gone {
      place.leave()
      logger.notice("not listening there any more", metadata: ["address": "\(place.name)"])
    }
    places = change.places.map(\.place)
    for place in change.opened { logger.notice("listening at one more place", metadata: ["address": "\(place.name)"]) }
    lacksUnnamedPlace = false
    for error in change.missing { tellMissing(error) }
  }
}
