import BatonServer

/// How many programs, or posts, may be under way at once with the files that this process may have open.
enum JobRoom {
  /// Beside the jobs: the connection, the event loops, a shell that watches, and what a program takes while it starts.
  private static let reserve = 30

  /// As many jobs as wanted, or fewer if there are too few files for them, and a person is told so. Raises the limit of
  /// files, as far as the system allows it. `each`: the files of one job.
  static func jobs(_ wanted: Int, _ things: String, files each: Int) -> Int {
    let needed = wanted * each + reserve
    let files = FileLimit.raised(to: needed).files
    let room = max((files - reserve) / each, 1)
    if wanted > room {
      talk(
        "baton: \(files) files may be open, and \(wanted) \(things) at once need \(needed) (ulimit -n \(needed)); "
          + "at most \(room) at once")
    }
    return min(wanted, room)
  }
}
