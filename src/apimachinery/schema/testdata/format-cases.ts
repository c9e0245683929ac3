import type { JSONSchema } from "../json-schema.ts";

/** A schema for `spec`, and objects to create or update. The responses are recorded from a real API server. */
export interface SchemaCase {
  readonly name: string;
  readonly spec: JSONSchema;
  /** Values of `spec` to create. */
  readonly creates?: readonly unknown[];
  /** Values of `spec` before and after an update; the one before need not be valid. */
  readonly updates?: readonly { readonly before: unknown; readonly after: unknown }[];
}

/** Strings of every enforced format and of one that is ignored, and values of other types. */
export const formatCases: readonly SchemaCase[] = (
  [
    [
      "date-time",
      [
        "2024-05-01T12:00:00Z",
        "2024-05-01",
        "2024-02-30T00:00:00Z",
        "2024-05-01t12:00:00.5+01:00",
        "2024-05-01T24:00:00Z",
      ],
    ],
    ["date", ["2024-02-29", "2023-02-29", "x"]],
    ["duration", ["1h30m", "2 days", "x", "5", "1.5h", "-3s", "", "3 wk"]],
    ["ipv4", ["1.2.3.4", "::1", "01.2.3.4", "1.2.3", "::ffff:1.2.3.4"]],
    ["ipv6", ["::1", "1.2.3.4", "fe80::1%eth0", "1:2:3:4:5:6:7:8", "1::2::3"]],
    ["cidr", ["10.0.0.0/8", "10.0.0.0", "::/0", "10.0.0.0/33", "010.0.0.0/8", "10.0.0.0/08"]],
    ["mac", ["00:00:5e:00:53:01", "0000.5e00.5301", "x", "00-00-5e-00-53-01", "00:00:5e:00:53"]],
    ["email", ["a@b.c", "a", "A B <a@b>", "a@", '"a b"@c.d', "a@b c"]],
    ["hostname", ["example.com", "-a", "a_b", "a..b", "x", "1.2.3.4", "a-"]],
    ["uri", ["http://a/b", "a", "/a/b", "http://[::1]:80/", "http://a b", "mailto:x", "http://a:b"]],
    ["uuid", ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE7DEC11D0A76500A0C91E6BF6", "x"]],
    ["uuid4", ["f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]],
    ["byte", ["aGk=", "aGk", "", "a-_="]],
    ["bsonobjectid", ["507f1f77bcf86cd799439011", "x"]],
    ["isbn", ["0321751043", "978-0321751041", "1"]],
    ["creditcard", ["4111 1111 1111 1111", "4111 1111 1111 1112"]],
    ["ssn", ["123-45-6789", "123456789"]],
    ["hexcolor", ["#fff", "ffffff", "#ff"]],
    ["rgbcolor", ["rgb(1,2,3)", "rgb(256,0,0)", "rgb( 0 , 0 , 0 )"]],
    ["password", ["x"]],
    ["k8s-short-name", ["a-b", "A", "-a"]],
    ["k8s-long-name", ["a.b", "a..b"]],
    ["unheard-of", ["x"]],
  ] as const
).map(
  ([format, values]): SchemaCase => ({
    name: `format ${format}`,
    spec: { type: "object", properties: { x: { type: "string", format } } },
    creates: [...values, 5, true, {}, []].map((x) => ({ x })),
  }),
);
