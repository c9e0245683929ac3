/** Suites of the conformance data about features that Kubernetes doesn't have. */
const suites: Readonly<Record<string, string>> = {
  bindings_ext: "cel.bind is not in the environment of API servers",
  block_ext: "cel.block is not in the environment of API servers",
  dynamic: "wrapper messages of protobuf: Kubernetes objects are JSON",
  encoders_ext: "base64.encode and decode are not in the environment of API servers",
  enums: "enumerations of protobuf messages",
  math_ext: "the math library is not in the environment of API servers",
  proto2: "protobuf messages",
  proto2_ext: "extensions of protobuf messages",
  proto3: "protobuf messages",
  wrappers: "wrapper messages of protobuf",
};

/** Version 4 of the strings library differs here from version 2, which Kubernetes has. */
const formattedOtherwise: ReadonlySet<string> = new Set([
  "scientific notation formatting clause",
  "scientific notation formatting clause in a string variable",
  "default precision for scientific notation",
  "positive infinity support for scientific notation",
  "negative infinity support for scientific notation",
  "NaN support for decimal",
  "positive infinity support for decimal",
  "negative infinity support for decimal",
  "positive infinity support for fixed-point",
  "negative infinity support for fixed-point",
  "list support for string",
  "map support for string",
  "map support (all key types)",
  "dyntype support for scientific notation",
  "dyntype NaN/infinity support",
  "dyntype support for lists",
  "dyntype support for maps",
]);

/** Returns why a case is skipped, or undefined. */
export function reasonToLeaveOut(
  suite: string,
  section: string,
  { name, expr, typeEnv, value, typedResult }: Record<string, unknown>,
): string | undefined {
  const known = suites[suite];
  if (known !== undefined) return `${suite}: ${known}`;
  const text = JSON.stringify([expr, typeEnv, value, typedResult]);
  if (/TestAllTypes|NestedTestAllTypes|proto[23]\./.test(text))
    return "cases that make or read protobuf messages";
  if (/google\.protobuf\.(?!Timestamp|Duration)/.test(text))
    return "cases with wrapper, Struct, Value or Any messages";
  if (/google\.protobuf\.(?:Timestamp|Duration)\s*\{/.test(text))
    return "cases that make a message of a time";
  if (suite === "type_deductions" && /"function"/.test(text)) return "functions that only the suite declares";
  if (suite === "string_ext" && /reverse\(/.test(text))
    return "string.reverse(): API servers have version 2 of the library";
  if (section === "format" && formattedOtherwise.has(name as string)) {
    return "string.format(): API servers have version 2 of the library";
  }
  if (section === "duration_converters" && name === "get_milliseconds")
    return "getMilliseconds() of durations: API servers return all milliseconds, not those of the second";
  if (section === "quoted_map_fields") return "names in backquotes: API servers don't allow them";
  return undefined;
}
