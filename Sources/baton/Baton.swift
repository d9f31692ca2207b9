@main
struct Baton { static func main() {} }
