/** Texts of many formats: most `pattern`s of schemas match one of them. */
export const commonTexts: readonly string[] = [
  "alpha",
  "beta",
  "gamma",
  "a",
  "1",
  "10",
  "100m",
  "1Gi",
  "30s",
  "1h30m",
  "50%",
  "1.2.3",
  "v1.2.3",
  "/a",
  "example.com",
  "*.example.com",
  "https://example.com/a",
  "nginx:1.27",
  "10.0.0.1",
  "10.0.0.0/8",
  "2026-01-01T00:00:00Z",
  "0 3 * * *",
  "a/b",
  "A",
  "Alpha",
  "Not valid!",
];

const textsByFormat: Readonly<Record<string, readonly string[]>> = {
  byte: ["YQ==", "Yg=="],
  date: ["2026-01-01", "2026-02-01"],
  datetime: ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"],
  duration: ["30s", "5m", "1h"],
  email: ["a@b.c", "anna@example.com"],
  hostname: ["example.com", "a.example.com"],
  ipv4: ["10.0.0.1", "10.0.0.2"],
  ipv6: ["::1", "2001:db8::1"],
  cidr: ["10.0.0.0/8", "2001:db8::/32"],
  mac: ["00:00:5e:00:53:01", "00:00:5e:00:53:02"],
  uri: ["https://example.com", "https://example.com/a"],
  uuid: ["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174001"],
  uuid3: ["123e4567-e89b-32d3-a456-426614174000"],
  uuid4: ["123e4567-e89b-42d3-a456-426614174001"],
  uuid5: ["123e4567-e89b-52d3-a456-426614174000"],
  hexcolor: ["#ffffff", "#000000"],
  rgbcolor: ["rgb(0,0,0)", "rgb(255,255,255)"],
  isbn: ["0306406152", "9780306406157"],
  isbn10: ["0306406152"],
  isbn13: ["9780306406157"],
  creditcard: ["4111111111111111"],
  ssn: ["078-05-1120", "219-09-9999"],
  bsonobjectid: ["507f1f77bcf86cd799439011", "507f191e810c19729de860ea"],
  k8sshortname: ["alpha", "beta"],
  k8slongname: ["alpha.example", "beta"],
};

/** Returns texts that a field of this name and format typically holds. */
export function typicalTexts(name: string, format = ""): readonly string[] {
  const valuesOfName = typicalValues(name).filter((value) => typeof value === "string");
  return [...(textsByFormat[format.replaceAll("-", "")] ?? []), ...valuesOfName];
}

/** Returns numbers that a field of this name may hold. */
export function typicalNumbers(name: string): readonly number[] {
  const valuesOfName = typicalValues(name).filter((value) => typeof value === "number");
  return valuesOfName.length > 0 ? valuesOfName : [1, 2, 3, 5];
}

/** Returns keys of maps in a field of this name. */
export function typicalKeys(name: string): readonly string[] {
  return /requests$|limits$|resources$|capacity$|^hard$/i.test(name) ? ["cpu", "memory"] : ["a", "b", "c"];
}

/** Usual values of fields, by a pattern of their name. */
const valuesByFieldName: readonly (readonly [name: RegExp, values: readonly unknown[]])[] = [
  [/image$/i, ["nginx:1.27", "nginx:1.28", "busybox:1.37"]],
  [/port$/i, [80, 8080, 443, "http"]],
  [/schedule|cron/i, ["0 3 * * *", "*/5 * * * *", "30 1 * * 0"]],
  [/storage|memory|capacity|^size$/i, ["1Gi", "128Mi", "10Gi"]],
  [/cpu/i, ["100m", "1", "500m"]],
  [/host(?:name)?$|domain$/i, ["example.com", "a.example.com"]],
  [/url$|uri$|endpoint$|server$/i, ["https://example.com", "https://example.com/a"]],
  [/^fieldpath$/i, ["metadata.name", "metadata.namespace"]],
  [/path$/i, ["/", "/a", "/a/b"]],
  [/^apiversion$/i, ["v1"]],
  [/version$/i, ["1.2.3", "1.3.0", "v1"]],
  [/time(?:out)?$|duration$|interval$|period$|ttl$|delay$/i, ["30s", "5m", "1h"]],
  [/cidr/i, ["10.0.0.0/8", "192.168.0.0/16"]],
  [/accessmodes$/i, ["ReadWriteOnce", "ReadWriteMany"]],
  [/protocol$/i, ["TCP", "UDP"]],
  [/^operator$/i, ["Exists", "DoesNotExist"]],
  [/^effect$/i, ["NoSchedule", "NoExecute"]],
  [/^scheme$/i, ["HTTP", "HTTPS"]],
  [/^whenunsatisfiable$/i, ["DoNotSchedule", "ScheduleAnyway"]],
  [/^resource$/i, ["limits.cpu", "requests.memory"]],
  [/^divisor$/i, ["1"]],
];

function typicalValues(name: string): readonly unknown[] {
  return valuesByFieldName.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}
