const binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal = ["k", "M", "G", "T", "P", "E"];

/** The size that a quantity says, near enough to compare volumes by. */
export function toBytes(quantity: string | number): number {
  const [, digits = "0", suffix = ""] = /^([0-9.]+)(.*)$/.exec(String(quantity)) ?? [];
  if (binary.includes(suffix)) return Number(digits) * 1024 ** (binary.indexOf(suffix) + 1);
  if (decimal.includes(suffix)) return Number(digits) * 1000 ** (decimal.indexOf(suffix) + 1);
  return Number(digits);
}
