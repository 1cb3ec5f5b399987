#if DEBUG || SCRIPTED_STORE_CHECKS
/// Stops the process with a message if an invariant does not hold. The functions `checkInvariants()`
/// use it; they exist only in debug builds and in builds with `-DSCRIPTED_STORE_CHECKS`.
///
/// It is not `precondition`, which prints no message in an optimized build such as the fuzzer.
package func requireInvariant(
  _ holds: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
  file: StaticString = #fileID, line: UInt = #line
) {
  if !holds() { fatalError(message(), file: file, line: line) }
}
#endif
