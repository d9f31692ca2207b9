import ArgumentParser
import BatonClient
import Dispatch

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// One question of an agent, from the start of the program to its end. Nothing gets out of here but a refusal, or a yes
/// that the chain has said.
enum HookRun {
  /// Whether the program was started to answer a question: whatever is wrong then is a refusal. It is `baton hook` with
  /// anything behind it but the commands for people.
  static func isMeant(by arguments: [String]) -> Bool {
    guard arguments.first == "hook" else { return false }
    let commands = ["install", "check", "remove", "--help", "-h"]
    if arguments.count > 1, commands.contains(arguments[1]) { return false }
    // A person asks for help. In an entry, other options stand beside it.
    return !(arguments.count == 3 && ["--help", "-h"].contains(arguments[2]))
  }

  static func answer(_ arguments: [String]) -> Never {
    let form = arguments.count > 1 ? HookForm(rawValue: arguments[1]) : nil
    var refusal = HookRefusal(form)
    HookWatch.begin(refusal, isInEntry: arguments.contains("--in-entry"))
    dropEnvironment()
    guard let form else {
      let names = HookForm.allCases.map(\.rawValue).joined(separator: ", ")
      refusal.end(broken: "baton hook has no such form or command; the forms are \(names)")
    }
    let options: HookOptions
    do {
      options = try read(arguments, form)
    } catch let mistake as Mistake {
      refusal.end(broken: mistake.words)
    } catch {
      refusal.end(broken: "its options cannot be read")
    }
    refusal.time = options.time
    let timed = refusal
    HookWatch.goOn(timed, milliseconds: options.wait + 5000)
    Task {
      let verdict = await HookAsking(form.agent, options).verdict()
      switch verdict {
      case .yes(let line): timed.permit(line)
      case .no(let sentence, let form, let isForeign):
        HookRefusal(form, isForeign: isForeign, time: options.time).end(sentence)
      }
    }
    dispatchMain()
  }

  private struct Mistake: Error {
    let words: String
  }

  private static func read(_ arguments: [String], _ form: HookForm) throws -> HookOptions {
    guard Arguments.bytes.allSatisfy({ String(validating: $0, as: UTF8.self) != nil }) else {
      throw Mistake(words: "an option is not UTF-8 text")
    }
    do {
      let options = try HookOptions.parse(Array(arguments.dropFirst(2)))
      if let complaint = options.complaint(for: form.agent) { throw Mistake(words: complaint) }
      return options
    } catch let mistake as Mistake {
      throw mistake
    } catch {
      if HookOptions.exitCode(for: error) == .success {
        throw Mistake(words: "help was asked for, and no question answered")
      }
      let message = HookOptions.message(for: error)
      throw Mistake(words: message.isEmpty ? "its options are wrong" : "its options are wrong: \(message)")
    }
  }

  /// Variables may come from a project's settings: the place of a server, what OpenSSL loads, which certificates count.
  private static func dropEnvironment() {
    #if canImport(Darwin)
      _NSGetEnviron().pointee?[0] = nil
    #else
      clearenv()
    #endif
  }
}
