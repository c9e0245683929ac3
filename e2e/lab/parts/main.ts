// Measures parts of ours beside the best library for each, on a corpus that neither of us wrote, or that a real API server
// recorded. src/decisions/parsers.md has the verdicts. The libraries are installed once, into the cache.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseCertificateRequest } from "@tsbuilder/apimachinery/certs";
import { isObject } from "@tsbuilder/apimachinery/json";
import { type JSONObject, applyJSONPatch, parseJSONPatch } from "@tsbuilder/apimachinery/patch";
import { compileSchema } from "@tsbuilder/apimachinery/schema";
import { cronTimes } from "@tsbuilder/apimachinery/time";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import { createLogger } from "@tsbuilder/runtime";
import { build } from "esbuild";
import { parse as parseYaml, stringify } from "yaml";
import { loadCases } from "../../../src/apimachinery/cel/testdata/cel-spec.ts";
import { CelDouble, CelUint } from "../../../src/apimachinery/cel/values/value.ts";
import { cases as schemaCases } from "../../../src/apimachinery/schema/testdata/cases.ts";
import { decodeProtobuf } from "../../../src/cluster/codec/index.ts";
import { encodeProtobuf } from "../../support/cluster/encode-protobuf.ts";
import { targets } from "../fuzz/targets.ts";
import { repository } from "../../support/source-imports.ts";

const packages = [
  "@bufbuild/cel@0.6.1",
  "@marcbachmann/cel-js@8.0.0",
  "@peculiar/x509@2.2.0",
  "ajv@8.20.0",
  "ajv-formats@3.0.1",
  "cel-js@0.8.2",
  "croner@11.0.0",
  "fast-json-patch@3.1.1",
  "json-patch-test-suite@1.1.0",
  "pino@10.4.0",
  "protobufjs@8.8.1",
  "reflect-metadata@0.2.2",
  "rfc6902@5.4.0",
];
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder/parts");
if (!existsSync(join(cache, "node_modules/rfc6902"))) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), "{}");
  execFileSync("npm", ["install", "--silent", "--ignore-scripts", ...packages], {
    cwd: cache,
    stdio: "inherit",
  });
}
const require = createRequire(join(cache, "package.json"));
/** A library's exports: each is called in one place, and has types that this repository doesn't install. */
// eslint-disable-next-line typescript/no-explicit-any
type Library = Record<string, any>;
const load = async (name: string): Promise<Library> =>
  (await import(pathToFileURL(require.resolve(name)).href)) as Library;

const parts: Readonly<Record<string, () => Promise<void>>> = {
  cel,
  cron,
  logger,
  patch,
  protobuf,
  schema,
  x509,
  yaml,
};
/** cel-spec's cases without variables, whose value is a scalar or which must fail. */
async function cel(): Promise<void> {
  const cases = loadCases().cases.filter(
    ({ bindings, variables, value, fails, container }) =>
      bindings.size + variables.length === 0 && container === "" && (fails || isScalar(value)),
  );
  const { celEnv, parse: parseCel, plan } = await load("@bufbuild/cel");
  const [chevrotain, bachmann] = [await load("cel-js"), await load("@marcbachmann/cel-js")];
  const engines: Readonly<Record<string, (text: string) => unknown>> = {
    "@bufbuild/cel": (text) => {
      const result: unknown = plan(celEnv(), parseCel(text))({});
      if (result instanceof Error || (result as Library)?.["kind"] === "error") throw new Error("it fails");
      return result;
    },
    "cel-js": (text) => chevrotain["evaluate"](text) as unknown,
    "@marcbachmann/cel-js": (text) => bachmann["evaluate"](text) as unknown,
  };
  for (const [name, evaluate] of Object.entries(engines)) {
    const passed = cases.filter(({ expr, value, fails }) => {
      try {
        const result = evaluate(expr);
        return !fails && plain(result) === plain(value);
      } catch {
        return fails;
      }
    });
    console.log(
      `cel: ${name} ${await weigh(name)}; ${passed.length} of ${cases.length} cases of cel-spec, ours all`,
    );
  }
}

const isScalar = (value: unknown): boolean =>
  value === null ||
  ["string", "bigint", "boolean"].includes(typeof value) ||
  value instanceof CelDouble ||
  value instanceof CelUint;

/** A scalar as text: libraries have several types for one number. */
function plain(value: unknown): string {
  const number =
    value instanceof CelDouble || value instanceof CelUint ? value.value : (value as Library)?.["value"];
  return String(number ?? value);
}

/** Schedules with what cron has, in UTC: the next ten times of each. */
async function cron(): Promise<void> {
  const { Cron } = await load("croner");
  const fields = [
    ["*", "*/7", "5", "10-40/15", "0,30"],
    ["*", "3", "*/5", "9-17/4"],
    ["*", "1", "31", "?"],
    ["*", "2", "JAN-MAR"],
    ["*", "0", "6", "MON-FRI", "?"],
  ];
  const schedules = fields.reduce<string[]>(
    (all, field) => all.flatMap((before) => field.map((text) => `${before} ${text}`.trim())),
    [""],
  );
  const start = Date.UTC(2027, 0, 30, 22, 7);
  const readers: Readonly<Record<string, (schedule: string) => number[]>> = {
    ours: (schedule) => {
      const next = cronTimes(schedule);
      return times((at) => next(at));
    },
    croner: (schedule) => {
      const job = new Cron(schedule, { timezone: "UTC", legacyMode: true });
      return times((at) => (job.nextRun(new Date(at)) as Date).getTime());
    },
  };
  const times = (next: (at: number) => number): number[] => {
    const found = [start];
    while (found.length <= 10) found.push(next(found.at(-1)!));
    return found;
  };
  const read = (name: string): string[] =>
    schedules.map((schedule) => attempt(() => readers[name]!(schedule)));
  const [ours, theirs] = [read("ours"), read("croner")];
  const other = schedules.filter((_, index) => ours[index] !== theirs[index]);
  const took = Object.keys(readers).map((name) => `${name} ${cost(() => read(name)).toFixed(0)} ms`);
  console.log(
    `cron: croner ${await weigh("croner")}; ${other.length} of ${schedules.length} schedules differ${other
      .slice(0, 4)
      .map((schedule) => `, ${schedule}`)
      .join("")}; ${took.join(", ")}`,
  );
}

/** A hundred thousand lines with three fields; the logger may have one of them. */
async function logger(): Promise<void> {
  const { pino } = await load("pino");
  const [ours, theirs] = [createLogger({ write() {} }), pino({}, { write() {} })];
  const [controller, object] = [{ controller: "order" }, { namespace: "default", name: "a" }];
  const fields = { ...controller, ...object };
  const [child, theirChild] = [ours.with(controller), theirs.child(controller)];
  const times = 100_000;
  const [line, theirLine, childLine, theirChildLine] = [
    () => ours.info("Reconciled", fields),
    () => theirs.info(fields, "Reconciled"),
    () => child.info("Reconciled", object),
    () => theirChild.info(object, "Reconciled"),
  ].map((write) => `${((cost(() => repeat(times, write)) * 1000) / times).toFixed(1)} µs`);
  console.log(
    `logger: pino ${await weigh("pino")}; a line: ours ${line}, pino ${theirLine}; of a logger with a field: ${childLine}, ${theirChildLine}`,
  );
}

/** json-patch-test-suite, RFC 6902's own. */
async function patch(): Promise<void> {
  interface Case {
    readonly doc: unknown;
    readonly patch: never;
    readonly expected?: unknown;
    readonly disabled?: boolean;
  }
  const files = ["spec_tests", "tests"].map(
    (name) => require(`json-patch-test-suite/${name}.json`) as Case[],
  );
  // Objects of Kubernetes are objects.
  const cases = files
    .flat()
    .filter(({ doc, patch: steps, disabled }) => isObject(doc) && Array.isArray(steps) && !disabled);
  const { applyPatch } = await load("rfc6902");
  const { applyPatch: apply } = await load("fast-json-patch/index.mjs");
  const libraries: Readonly<Record<string, (doc: unknown, steps: never) => unknown>> = {
    ours: (doc, steps) => applyJSONPatch(doc as JSONObject, parseJSONPatch(steps)),
    rfc6902: (doc, steps) => {
      const copy = structuredClone(doc);
      if ((applyPatch(copy, steps) as unknown[]).some((error) => error !== null)) throw new Error("it fails");
      return copy;
    },
    "fast-json-patch": (doc, steps) =>
      (apply(structuredClone(doc), steps, true) as Library)["newDocument"] as unknown,
  };
  for (const [name, applied] of Object.entries(libraries)) {
    const failed = cases.filter((one) => {
      const given = attempt(() => applied(one.doc, one.patch));
      if ("error" in one || given === failure) return "error" in one !== (given === failure);
      return "expected" in one && given !== attempt(() => one.expected);
    });
    const weight = name === "ours" ? "" : ` ${await weigh(name)}`;
    console.log(`patch: ${name}${weight}; ${cases.length - failed.length} of ${cases.length}`);
    for (const { patch: steps } of failed.slice(0, 5)) console.log(`  ${JSON.stringify(steps)}`);
  }
}

/** A ConfigMap with a hundred entries, decoded: no server of ours encodes objects. */
async function protobuf(): Promise<void> {
  const { default: library } = await load("protobufjs");
  const { root } = library.parse(`syntax = "proto3";
    message Meta { string name = 1; string namespace = 3; map<string, string> labels = 11; }
    message Unknown { message Type { string apiVersion = 1; string kind = 2; } Type typeMeta = 1; bytes raw = 2; }
    message ConfigMap { Meta metadata = 1; map<string, string> data = 2; }`);
  const [outer, inner] = [root.lookupType("Unknown"), root.lookupType("ConfigMap")];
  const data = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`key-${index}`, `value-${index}`]),
  );
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "b" }, data };
  const bytes = (await encodeProtobuf(object))!;
  const decode = async (): Promise<void> => {
    for (let round = 0; round < 5000; round++) await decodeProtobuf(bytes);
  };
  await decode();
  const began = process.cpuUsage();
  await decode();
  const ours = since(began);
  const theirs = cost(() =>
    repeat(5000, () => inner.toObject(inner.decode(outer.decode(bytes.subarray(4)).raw))),
  );
  const text = JSON.stringify(object);
  const json = cost(() => repeat(5000, () => JSON.parse(text) as unknown));
  const [our, their, plainly] = [ours, theirs, json].map((ms) => `${(ms / 5).toFixed(0)} µs`);
  console.log(
    `protobuf: protobufjs ${await weigh("protobufjs")}; ours decodes in ${our}, protobufjs in ${their}, JSON.parse the same as JSON in ${plainly}`,
  );
}

/** Objects that kube-apiserver 1.36.3 has accepted or rejected, by its schemas. */
async function schema(): Promise<void> {
  const { default: Ajv } = await load("ajv/dist/2020.js");
  const { default: addFormats } = await load("ajv-formats");
  const file = join(repository, "src/apimachinery/schema/testdata/recorded.json");
  const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<
    string,
    { creates: { status: number }[] }
  >;
  const verdicts = { cases: 0, ours: 0, ajv: 0 };
  for (const { name, spec, creates = [] } of schemaCases) {
    const own = { type: "object", properties: { spec } };
    const compiled = compileSchema(own);
    const ajv = new (Ajv as Library)["default"]({
      strict: false,
      useDefaults: true,
      removeAdditional: "failing",
      logger: false,
    });
    (addFormats as Library)["default"](ajv);
    const foreign = attempt(() => void ajv.compile(own)) === failure ? undefined : ajv.compile(own);
    creates.forEach((value, index) => {
      const accepts = recorded[name]!.creates[index]!.status < 300;
      const given = value === undefined ? {} : { spec: value };
      verdicts.cases++;
      const object = compiled.applyDefaults(compiled.prune(given).object);
      if ((compiled.validate(object).length === 0) === accepts) verdicts.ours++;
      if (foreign !== undefined && (foreign(structuredClone(given)) as boolean) === accepts) verdicts.ajv++;
    });
  }
  console.log(
    `schema: ajv ${await weigh("ajv")}; of ${verdicts.cases} verdicts of kube-apiserver ours has ${verdicts.ours}, ajv ${verdicts.ajv}, without the texts`,
  );
}

/** Requests that openssl made. */
async function x509(): Promise<void> {
  await load("reflect-metadata");
  const { Pkcs10CertificateRequest } = await load("@peculiar/x509");
  const requests = targets["certs"]!.seeds.slice(1).map((der) => Buffer.from(der as Buffer));
  const pem = (der: Buffer): string =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  const read: Readonly<Record<string, (der: Buffer) => unknown>> = {
    ours: (der) => parseCertificateRequest(pem(der)),
    "@peculiar/x509": (der) => {
      const request = new Pkcs10CertificateRequest(pem(der));
      return [request.subject, request.extensions];
    },
  };
  const took = Object.entries(read).map(([name, parse]) => {
    const ms = cost(() => repeat(2000, () => requests.map((der) => parse(der))));
    return `${name} ${((ms * 1000) / 2000 / requests.length).toFixed(0)} µs a request`;
  });
  console.log(
    `x509: @peculiar/x509 ${await weigh("@peculiar/x509", `import ${JSON.stringify(require.resolve("reflect-metadata"))};`)}; ${took.join(", ")}`,
  );
}

/** YAML that controller-gen wrote. */
async function yaml(): Promise<void> {
  const folder = join(repository, "src/generators/conformance/testdata");
  const texts = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/^```yaml\n(.*?)^```$/gmsu)].map(
      ([, text]) => text!,
    ),
  );
  const options = { lineWidth: 0, indentSeq: false, sortMapEntries: true, version: "1.1" } as const;
  const same = (write: (value: unknown) => string): number =>
    texts.filter(
      (text) =>
        write(parseYaml(text, { intAsBigInt: true })).replace(/^---\n/u, "") === text.replace(/^---\n/u, ""),
    ).length;
  const [ours, theirs] = [
    same((value) => emitYaml(value as YamlValue)),
    same((value) => stringify(value, options)),
  ];
  const values = texts.map((text) => parseYaml(text, { intAsBigInt: true }) as YamlValue);
  const took = [
    cost(() => repeat(20, () => values.map((value) => emitYaml(value)))),
    cost(() => repeat(20, () => values.map((value) => stringify(value, options)))),
  ].map((ms) => `${(ms / 20).toFixed(1)} ms`);
  console.log(
    `yaml: of ${texts.length} texts by Go, ours writes ${ours} byte for byte in ${took[0]}, the library ${theirs} in ${took[1]}`,
  );
}

const failure = "it fails";

/** What a call returns, as text to compare. */
function attempt(call: () => unknown): string {
  try {
    return JSON.stringify(sorted(call())) ?? "undefined";
  } catch {
    return failure;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted((value as Library)[key])]),
  );
}

/** Milliseconds of processor time of a call, the second time. */
function cost(call: () => unknown): number {
  call();
  const began = process.cpuUsage();
  call();
  return since(began);
}

function since(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

function repeat(times: number, call: () => unknown): void {
  for (let round = 0; round < times; round++) call();
}

/** What a library adds to a bundle, and to the start of a process. */
async function weigh(name: string, needed = ""): Promise<string> {
  const contents = `${needed}import * as library from ${JSON.stringify(name)}; globalThis.library = library;`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: cache },
    bundle: true,
    minify: true,
    write: false,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  const script = `${needed}const began = process.cpuUsage(); await import(${JSON.stringify(pathToFileURL(require.resolve(name)).href)}); console.log((process.cpuUsage(began).user + process.cpuUsage(began).system) / 1000)`;
  const ms = Number(
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }),
  );
  return `(${(outputFiles[0]!.contents.length / 1000).toFixed(0)} kB, ${ms.toFixed(0)} ms to load)`;
}

const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts))
  if (wanted.length === 0 || wanted.includes(name)) await measure();
