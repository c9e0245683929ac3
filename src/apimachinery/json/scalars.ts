/** A 32-bit integer; `integer` with format `int32` in a schema. */
export type int32 = number;

/** A 64-bit integer; JSON numbers above 2^53 lose precision in JavaScript. */
export type int64 = number;

/** A floating-point number; `number` in a schema, which Kubernetes advises against. */
export type float64 = number;

/** An amount such as `500m`, `10Gi` or `3`; see `@tsbuilder/apimachinery/quantity`. */
export type Quantity = string | number;

/** An integer, or a string such as the name of a port or `25%`. */
export type IntOrString = number | string;

/** A time in RFC 3339 with seconds, `2024-05-01T12:00:00Z`. */
export type Time = string;

/** A time in RFC 3339 with six fractional digits, `2024-05-01T12:00:00.000000Z`. */
export type MicroTime = string;

/** The units below a minute. */
type SmallUnit = "s" | "ms" | "us" | "\u00b5s" | "ns";

/** A duration as Go writes it: `30s`, `1h30m`, `250ms`, `0`. The larger unit comes first. */
export type Duration =
  | "0"
  | `${number}${"h" | "m" | SmallUnit}`
  | `${number}h${number}${"m" | SmallUnit}`
  | `${number}m${number}${SmallUnit}`
  | `${number}h${number}m${number}${SmallUnit}`
  | `${number}s${number}${"ms" | "us" | "ns"}`;

/** Any JSON value. */
export type JSONValue = string | number | boolean | null | JSONValue[] | { [key: string]: JSONValue };

/** An object of any kind, stored as is. */
export type RawExtension = { [key: string]: JSONValue };
