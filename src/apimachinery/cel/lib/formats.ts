import {
  checkLabel,
  checkLabel1035,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "../../naming/index.ts";
import { formatCheck } from "../../schema/formats/formats.ts";
import type { FunctionDecl, TypeOf } from "../functions/function.ts";
import { declare, listOf, method, optionalOf, typed } from "../functions/function.ts";
import { objectType } from "../types/type.ts";
import { CelOptional, ExtensionValue, NativeList, type Value } from "../values/value.ts";

/** The type of named formats. */
export const formatType: TypeOf<FormatValue> = objectType("kubernetes.NamedFormat");

/** Returns why a text is invalid; nothing if it is valid. */
type Check = (text: string) => string[];

/** A named format, which validates strings. */
export class FormatValue extends ExtensionValue {
  readonly celType = formatType;
  readonly name: string;
  readonly check: Check;
  /** The size of its pattern in the cost model. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, check: Check) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.check = check;
  }

  equals(other: Value): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const { string } = typed;

/** The formats by name, with the sizes that Kubernetes declares for their patterns. */
const formats: ReadonlyMap<string, FormatValue> = new Map([
  ["dns1123Label", new FormatValue("DNS1123Label", 30, checkLabel)],
  ["dns1123Subdomain", new FormatValue("DNS1123Subdomain", 60, checkSubdomain)],
  ["dns1035Label", new FormatValue("DNS1035Label", 30, checkLabel1035)],
  ["qualifiedName", new FormatValue("QualifiedName", 60, checkQualifiedName)],
  ["dns1123LabelPrefix", new FormatValue("DNS1123LabelPrefix", 30, forPrefix(checkLabel))],
  ["dns1123SubdomainPrefix", new FormatValue("DNS1123SubdomainPrefix", 60, forPrefix(checkSubdomain))],
  ["dns1035LabelPrefix", new FormatValue("DNS1035LabelPrefix", 30, forPrefix(checkLabel1035))],
  ["labelValue", new FormatValue("LabelValue", 40, checkLabelValue)],
  ["uri", new FormatValue("URI", 1103, openAPIFormat("uri", "invalid URI for request"))],
  ["uuid", new FormatValue("uuid", 70, openAPIFormat("uuid", "does not match the UUID format"))],
  ["byte", new FormatValue("byte", 84, openAPIFormat("byte", "invalid base64"))],
  ["date", new FormatValue("date", 71, openAPIFormat("date", "invalid date"))],
  ["datetime", new FormatValue("datetime", 71, openAPIFormat("datetime", "invalid datetime"))],
]);

/** Kubernetes' format library: `format.dns1123Label().validate(name)`. */
export const namedFormats: readonly FunctionDecl[] = [
  method("validate", "format-validate", [formatType, string], optionalOf(listOf(string)), validate),
  declare("format.named", "format-named", [string], optionalOf(formatType), findFormat),
  ...Array.from(formats, ([name, format]) =>
    declare(`format.${name}`, `format.${name}`, [], formatType, () => format),
  ),
];

function openAPIFormat(format: string, message: string): Check {
  const isValid = formatCheck(format)!;
  return (text) => (isValid(text) ? [] : [message]);
}

/**
 * The prefix of a generated name may end in a dash, because a suffix follows. Like Go's `maskTrailingDash`, the check
 * replaces the last two characters by one.
 */
function forPrefix(check: Check): Check {
  return (text) => check(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
}

function validate({ check }: FormatValue, text: string): CelOptional {
  const errors = check(text);
  return errors.length === 0 ? CelOptional.none : new CelOptional(new NativeList(errors));
}

function findFormat(name: string): CelOptional {
  const format = formats.get(name);
  return format ? new CelOptional(format) : CelOptional.none;
}
