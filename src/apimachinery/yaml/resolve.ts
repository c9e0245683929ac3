/**
 * Returns true if a YAML 1.1 parser reads a plain scalar as a string. kubectl and kustomize use YAML 1.1, in which `y`,
 * `on`, `1_000`, `12:30` and `2024-01-15` are not strings, and the API server would reject their values.
 */
export function resolvesToString(text: string): boolean {
  if (text === "" || words.has(text)) return false;
  const first = text[0]!;
  if (first === ".") return !isFloat(text);
  if (!/[-+0-9]/u.test(first)) return true;
  return !isTimestamp(text) && !isInteger(text) && !isFloat(text.replaceAll("_", "")) && !base60.test(text);
}

const words = new Set([
  ..."y Y yes Yes YES true True TRUE on On ON n N no No NO false False FALSE off Off OFF".split(" "),
  ..."~ null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF".split(" "),
]);

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/u;
const isFloat = (text: string): boolean =>
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/u.test(text);

function isInteger(text: string): boolean {
  return /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[0-9]+)$/u.test(text.replaceAll("_", ""));
}

const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))|(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?))?$/u;

function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  const [hour, minute, second] = [4, 5, 6].map((i) => Number(match[i] ?? match[i + 3] ?? 0));
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth;
  return isDate && hour! < 24 && minute! < 60 && second! < 60;
}
