const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const limit = 2n ** 63n;

/** Parses a duration as Go's `time.ParseDuration` does. Returns nanoseconds, or undefined. */
export function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  let rest = negative || text.startsWith("+") ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  let total = 0n;
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/u.exec(rest);
    if (!match || (match[1] === "" && (match[2] ?? "") === "")) return undefined;
    const unit = units[match[3]!]!;
    total += BigInt(match[1] || "0") * unit + fraction(match[2] ?? "", unit);
    if (total > limit) return undefined;
    rest = rest.slice(match[0].length);
  }
  if (negative) return -total;
  return total === limit ? undefined : total;
}

/** Digits below a nanosecond are truncated. */
function fraction(digits: string, unit: bigint): bigint {
  return digits === "" ? 0n : (BigInt(digits) * unit) / 10n ** BigInt(digits.length);
}
