import http from "node:http";
import { Duplex } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import {
  CelSyntaxError,
  compile,
  CostLimitError,
  EvalError,
  kubernetesEnv,
  types,
} from "@tsbuilder/apimachinery/cel";
import { describeCertificate, parseCertificateRequest, splitBundle } from "@tsbuilder/apimachinery/certs";
import { applyJSONPatch, applyMergePatch, PatchError, parseJSONPatch } from "@tsbuilder/apimachinery/patch";
import { applyStrategicMergePatch } from "../../../src/apimachinery/patch/strategic/index.ts";
import { expressions } from "../../../src/apimachinery/cel/testdata/rule-cases.ts";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import { decodeProtobuf, MalformedProtobufError } from "../../../src/cluster/codec/index.ts";
import { encodeProtobuf } from "../../support/cluster/encode-protobuf.ts";
import { explainJSON, findFieldProblems, isTooDeep } from "../../../src/cluster/codec/go-json.ts";
import { explainYAML, findDuplicateKeys, parseGoYAML } from "../../../src/cluster/codec/go-yaml.ts";
import { formatProject, parseProject } from "../../../src/project/store.ts";
import { AnswerParser, ProtocolError } from "../../../src/runtime/http/answer-parser.ts";
import { parseKubeconfig } from "../../../src/runtime/config/kubeconfig-file.ts";
import { TsbuilderError } from "../../../src/shared/errors.ts";
import type { Dice } from "./mutate.ts";

/** A parser, and what must hold for each input. */
export interface Target {
  readonly seeds: readonly (string | Buffer)[];
  /** Words of its language. */
  readonly words: readonly string[];
  /** The files whose code inputs shall run. */
  readonly code: RegExp;
  /** Returns or throws what is wrong. */
  readonly check: (input: Buffer, dice: Dice) => unknown;
}

/** The value of a parser, or undefined where it rejects the input as it should. */
function accepted<T>(parse: () => T, isRejection: (error: Error) => boolean): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error && isRejection(error)) return undefined;
    throw error;
  }
}

/** Errors that JavaScript itself throws where code uses what is not there. */
const isOfEngine = (error: Error): boolean =>
  /Cannot (?:read|set|convert|destructure|mix|use)|is not (?:a function|iterable|defined|a constructor)|Invalid (?:array|string|URL)|out of range|circular/u.test(
    error.message,
  );

const responses: Target = {
  seeds: [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\nyou\r\n0\r\nTrailer: x\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 Not Found\r\nConnection: keep-alive\r\nA: b\r\nA: c\r\n\r\nuntil the end",
    "HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=5\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  words: [
    "HTTP/1.1 ",
    "HTTP/1.0 200 OK",
    "\r\n",
    "\r\n\r\n",
    ": ",
    "content-length: ",
    "transfer-encoding: chunked",
    "connection: close",
    "0\r\n\r\n",
    "ffffffffffff\r\n",
    "304 Not Modified",
    "a: b\r\n",
  ],
  code: /answer-parser/u,
  async check(input, dice) {
    const whole = readResponses([input]);
    const cuts = [dice.below(input.length), dice.below(input.length)].toSorted((a, b) => a - b);
    const pieces = [input.subarray(0, cuts[0]), input.subarray(cuts[0], cuts[1]), input.subarray(cuts[1])];
    for (const chunks of [pieces, [...input].map((byte) => Buffer.of(byte))]) {
      const cut = readResponses(chunks);
      if (!isDeepStrictEqual(cut, whole)) return `in pieces it is another: ${JSON.stringify([whole, cut])}`;
    }
    // Both must read an accepted response alike. Node also rejects parts that nobody uses, such as extensions of chunks.
    if (whole.problem !== undefined || !whole.ended || whole.rest) return undefined;
    // Node rejects a response with both lengths; we read it as Go does, and close the connection.
    const text = input.toString().toLowerCase();
    if (["content-length", "transfer-encoding"].every((name) => text.includes(name))) return undefined;
    // Node takes a tab behind the coding for a part of its name, and reads to the end of the connection.
    if (/transfer-encoding:[^\n]*\t\s*\n/u.test(text)) return undefined;
    const theirs = await readByNode(input);
    if (theirs && (theirs.status !== whole.status || theirs.body !== whole.body))
      return `Node reads another: ${JSON.stringify([whole, theirs])}`;
    return undefined;
  },
};

interface ReadResponse {
  status: number;
  body: string;
  ended: boolean;
  rest: boolean;
  problem?: string;
}

function readResponses(chunks: readonly Buffer[]): ReadResponse {
  const read: ReadResponse = { status: 0, body: "", ended: false, rest: false };
  const parser = new AnswerParser({
    onHead: ({ status }) => void (read.status = status),
    onBody: (chunk) => void (read.body += chunk.toString("latin1")),
    onEnd: () => void (read.ended = true),
  });
  parser.begin();
  try {
    for (const chunk of chunks) parser.push(chunk);
    parser.close();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    read.problem = error.message;
    if (error.message.startsWith("the server sent more")) read.rest = true;
    // How much of a body came before a mistake depends on the pieces.
    read.body = "";
  }
  return read;
}

/** The response as Node's own client reads it; undefined if it rejects it. */
function readByNode(input: Buffer): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    const request = http.request({ createConnection: () => socket });
    let responds = false;
    request.on("response", (response) => {
      responds = true;
      let body = "";
      response.on("data", (chunk: Buffer) => void (body += chunk.toString("latin1")));
      response.on("end", () => resolve({ status: response.statusCode!, body }));
      response.on("error", () => resolve(undefined));
      response.on("aborted", () => resolve(undefined));
    });
    request.on("error", () => resolve(undefined));
    request.on("upgrade", () => resolve(undefined));
    request.on("close", () => !responds && resolve(undefined));
    request.end();
    request.once("finish", () => {
      socket.push(input);
      socket.push(null);
    });
  });
}

const yamlWords = [
  "a: ",
  "- ",
  "{",
  "}",
  "[",
  "]",
  "&a ",
  "*a",
  "<<: *a",
  "!!binary ",
  "!!str ",
  "|\n",
  ">-\n",
  "---\n",
  "...\n",
  "? ",
  "# x\n",
  "0o17",
  "0x1F",
  "1_000",
  ".inf",
  "yes",
  "~",
  "'",
  '"\\u0041"',
  "%YAML 1.1\n",
  "  ",
  "\t",
];
const manifest =
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {app: x, on: yes}\ndata:\n  a: |\n    text\n  b: >-\n    more\n  c: "q\\n"\n';

const yamlBodies: Target = {
  seeds: [
    manifest,
    "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: [1, 2.5, 0o17, 0x1f, ~]\n",
    '{"a": [1, "b", null, true], "c": {"d": 1e3}}',
    "a: !!binary aGVsbG8=\n'b': - \n",
  ],
  words: yamlWords,
  code: /go-yaml|emit-yaml/u,
  check(input) {
    const text = input.toString();
    let value: unknown;
    try {
      value = parseGoYAML(text);
      findDuplicateKeys(text);
    } catch (error) {
      const said = explainYAML(error, text);
      return isOfEngine(error as Error) || said === "" ? (error as Error).stack : undefined;
    }
    const written = emitYaml(value as YamlValue);
    const again = parseGoYAML(written);
    return isDeepStrictEqual(jsonOf(value), jsonOf(again))
      ? undefined
      : `it is another once written: ${written.slice(0, 300)}`;
  },
};

function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

const jsonBodies: Target = {
  seeds: ['{"a": [1, "b\\u0041", null, true], "c": {"d": -1.5e3}}', '[{}, [], "", 0]', '{"a":1,"a":2}'],
  words: ['{"a":', "}", "[", "]", ",", ":", '"', "\\u00", "\\", "true", "null", "1e5", "-0", "\u0001"],
  code: /go-json/u,
  check(input) {
    const text = input.toString();
    const isValid =
      accepted(
        () => (JSON.parse(text), true),
        (error) => error instanceof SyntaxError,
      ) ?? false;
    if (isTooDeep(text)) return undefined;
    const explained = explainJSON(text) === "invalid JSON";
    if (explained !== isValid)
      return isValid
        ? `valid JSON is explained as ${explainJSON(text)}`
        : "no mistake is found in invalid JSON";
    if (isValid) findFieldProblems(text, ["a"]);
    return undefined;
  },
};

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", labels: { a: "b" }, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {
    containers: [
      { name: "c", image: "i", ports: [{ containerPort: 80 }], resources: { limits: { cpu: "1" } } },
    ],
    terminationGracePeriodSeconds: 30,
  },
};
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a" },
  spec: {
    ports: [
      { port: 80, targetPort: "http" },
      { port: 81, targetPort: 8 },
    ],
  },
};

const protobufBodies: Target = {
  seeds: (
    await Promise.all(
      [pod, service, { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 }].map((one) =>
        encodeProtobuf(one),
      ),
    )
  ).map((bytes) => bytes!),
  words: [
    "k8s\0",
    "\n\x02v1",
    "\x12\x03Pod",
    "\x80\x80\x80\x80\x10",
    "\xff\xff\xff\xff\x0f",
    "\x08",
    "\x12",
    "\x1a",
    "\x0a\x00",
  ],
  code: /cluster\/codec\/(?:protobuf|wire|scalar)/u,
  async check(input) {
    let first: Awaited<ReturnType<typeof decodeProtobuf>>;
    try {
      first = await decodeProtobuf(input);
    } catch (error) {
      if (error instanceof MalformedProtobufError) return undefined;
      throw error;
    }
    const again = await decodeProtobuf((await encodeProtobuf(first))!);
    return isDeepStrictEqual(jsonOf(again), jsonOf(first))
      ? undefined
      : `it is another once written: ${JSON.stringify([first, again]).slice(0, 500)}`;
  },
};

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString("base64").replaceAll(/.{64}/gu, "$&\n")}\n-----END ${label}-----\n`;

const certificates: Target = {
  // A CA, and requests with keys of Ed25519 and P-256 by openssl; new ones would make other inputs of the same seed.
  seeds: [
    "MIIBWzCCAQKgAwIBAgIUAWLMf7KO3o69+PH5CwlN8PccgiowCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAeFw0yNjExMjkxODQzMTJaFw0zNjExMjYxODQzMTJaMAwxCjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATBRjwgUsxyRWyod/JJ293rvOydn4GHxRJE6R6dEEihMxDRvTuViZQeEPAZRTBznYDlXSJOQ+Qp8YKBVaVPE3gUo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUqbzSvGnr7gmTFWIitOXePlMmNRkwCgYIKoZIzj0EAwIDRwAwRAIgIqiFY8Wiy5GqV9gPTmZ3jyYqDdYKJUXCtdov6GMIVaECIFUcyPqIgqDXldNfsJrPk34HYDZo2hhY29t9tNflp7IG",
    "MIHRMIGEAgEAMBgxCjAIBgNVBAoMAW8xCjAIBgNVBAMMAWEwKjAFBgMrZXADIQA5xpcmkonXHxDD8u2w/rL9098DdLXhajphqt80V18dlqA5MDcGCSqGSIb3DQEJDjEqMCgwJgYDVR0RBB8wHYIDYS5ihwQBAgMEhxAAAAAAAAAAAAAAAAAAAAABMAUGAytlcANBAFW0ZsLz3ltpfAwZ7QCsW/6kTUm8aCZUe/ogNlU8qnhuuA2hwe/oJkVELjKK4sSUsX1qG+oyB7tBr95Q1678dQs=",
    "MIIBDTCBswIBADAYMQowCAYDVQQKDAFvMQowCAYDVQQDDAFhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6yi4pZCE8EAPBDkuZ7K02PBLrRGK2k8umhpa4UmmVN91EfW5CH9+N56Sh5xcRBtuzcnvBOVdmSUfZnKZlyx/0KA5MDcGCSqGSIb3DQEJDjEqMCgwJgYDVR0RBB8wHYIDYS5ihwQBAgMEhxAAAAAAAAAAAAAAAAAAAAABMAoGCCqGSM49BAMCA0kAMEYCIQCeBGyTp85723n0i6PgDVRSv43HDqWSIvxR0WnjrBDX6gIhANI8anqwUFmqs1ihmbwbhL9Wumr7u1SwXhosAS7tzEqH",
  ].map((base64) => Buffer.from(base64, "base64")),
  words: [
    "\x30\x80",
    "\x30\x82\xff\xff",
    "\x06\x03\x55\x04\x03",
    "\xa0\x00",
    "\x03\x01",
    "\x02\x01\x00",
    "\x87\x03abc",
    "\x31\x00",
    "\x30\x00",
  ],
  code: /apimachinery\/certs/u,
  check(input) {
    accepted(
      () => parseCertificateRequest(pem("CERTIFICATE REQUEST", input)),
      (error) => !isOfEngine(error),
    );
    accepted(
      () => describeCertificate(pem("CERTIFICATE", input)),
      (error) => !isOfEngine(error),
    );
    splitBundle(input.toString());
  },
};

const env = kubernetesEnv().withVariables([
  ["self", types.dyn],
  ["x", types.dyn],
]);

const cel: Target = {
  seeds: expressions.filter((text) => text.length < 200),
  words: [
    "self",
    "x",
    ".a",
    "[0]",
    "(",
    ")",
    "{",
    "}",
    "?",
    ":",
    "&&",
    "||",
    "!",
    "-",
    "==",
    " in ",
    "has(",
    ".all(i, ",
    ".map(i, ",
    "'a'",
    "b'\\xff'",
    "r'\\'",
    "1u",
    "0x1F",
    "1.5e3",
    "duration('1h')",
    "quantity('1Mi')",
    "ip('::1')",
    ".matches('",
    ".format([",
    "optional.of(",
    "`",
    '"""',
    "//\n",
    "9223372036854775807",
    "type(",
    "cel.bind(v, ",
  ],
  code: /apimachinery\/cel/u,
  check(input) {
    const compiled = accepted(
      () => compile(input.toString(), env),
      (error) => error instanceof CelSyntaxError || error instanceof EvalError,
    );
    const { error } = compiled?.program.evaluate(() => "text", 100_000) ?? {};
    const isOwn = error instanceof EvalError || error instanceof CostLimitError;
    return error && !isOwn && isOfEngine(error) ? error.stack : undefined;
  },
};

const patches: Target = {
  seeds: [
    '[{"a":{"b":[1,2]},"list":[{"name":"a"}]},[{"op":"add","path":"/a/b/-","value":3},{"op":"test","path":"/a/b/0","value":1}]]',
    '[{"a":1},[{"op":"move","from":"/a","path":"/b"},{"op":"copy","from":"/b","path":"/c"},{"op":"remove","path":"/b"},{"op":"replace","path":"","value":{}}]]',
    '[{"a":{"b":1}},{"a":{"b":null,"c":[1]}}]',
    '[{"list":[{"name":"a","x":1}]},{"list":[{"name":"a","$patch":"delete"}],"$setElementOrder/list":[{"name":"b"}],"$retainKeys":["list"]}]',
  ],
  words: [
    '{"op":"add","path":"/',
    '"value":',
    '"from":"/a"',
    "/-",
    "/-1",
    "/0",
    "~0",
    "~1",
    "/__proto__/x",
    '"$patch":"replace"',
    '"$patch":"delete"',
    '"$retainKeys":[',
    '"$deleteFromPrimitiveList/list":[1]',
    '"list":[',
    '"name":"a"',
    "null",
    "{",
    "}",
    ",",
  ],
  code: /apimachinery\/patch/u,
  check(input) {
    const [object, patch] =
      accepted(
        () => JSON.parse(input.toString()) as [never, never],
        () => true,
      ) ?? [];
    if (typeof object !== "object" || object === null || Array.isArray(object)) return undefined;
    const before = structuredClone(object);
    const isRejection = (error: Error): boolean => error instanceof PatchError;
    accepted(() => applyJSONPatch(object, parseJSONPatch(patch)), isRejection);
    if (patch !== undefined) {
      accepted(() => applyMergePatch(object, patch), isRejection);
      accepted(() => applyStrategicMergePatch(object, patch, listSchema), isRejection);
    }
    return isDeepStrictEqual(object, before) ? undefined : "the object that was given changed";
  },
};

const listSchema = {
  type: "object",
  properties: {
    list: {
      type: "array",
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
      items: { type: "object", properties: { name: { type: "string" } } },
    },
  },
} as const;

const kubeconfigs: Target = {
  seeds: [
    "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts:\n- name: a\n  context: {cluster: a, user: a}\nclusters:\n- name: a\n  cluster: {server: 'https://a:6443'}\nusers:\n- name: a\n  user:\n    exec: {command: x, args: [y], env: [{name: a, value: b}]}\n",
    '{"clusters":[{"name":"a","cluster":{"server":"http://a"}}],"users":[{"name":"a","user":{"token":"t"}}],"contexts":null}',
  ],
  words: [...yamlWords, "clusters:\n- ", "users: ", "contexts: ", "cluster: ", "exec: ", "name: a\n"],
  code: /config\/kubeconfig-file/u,
  async check(input) {
    const text = input.toString();
    try {
      await parseKubeconfig(text);
    } catch (error) {
      if (!(error instanceof Error) || isOfEngine(error)) throw error;
    }
  },
};

const projects: Target = {
  seeds: [
    'domain: example.com\nlayout:\n- typescript.tsbuilder.dev/v1\nprojectName: shop\nresources:\n- api:\n    crdVersion: v1\n    namespaced: true\n  controller: true\n  domain: example.com\n  group: apps\n  kind: Order\n  version: v1\n  webhooks:\n    defaulting: true\n    webhookVersion: v1\nversion: "3"\n',
    "# mine\ndomain: a.b\nlayout:\n- typescript.tsbuilder.dev/v1\n- evil.example.com/v1\nmultigroup: true\nprojectName: a\nplugins:\n  evil.example.com/v1: {package: ./x}\n  typescript.tsbuilder.dev/v1:\n    features: [prometheus]\nversion: '3'\n",
  ],
  words: [
    ...yamlWords,
    "resources:\n- ",
    "group: ",
    "kind: Order\n",
    "plural: ",
    "webhooks:\n",
    "plugins:\n",
    "typescript.tsbuilder.dev/v1:\n",
    "package: ./",
    'version: "3"\n',
    "multigroup: true\n",
    "external: true\n",
    "core: true\n",
  ],
  code: /project\/|shared\/read-yaml/u,
  check(input) {
    const isRejection = (error: Error): boolean => error instanceof TsbuilderError;
    const text = input.toString();
    const first = accepted(() => parseProject(text), isRejection);
    if (!first) return undefined;
    const again = parseProject(formatProject(first.project, text));
    return isDeepStrictEqual(again.project, first.project)
      ? undefined
      : `it is another once written: ${again.text.slice(0, 500)}`;
  },
};

/** The parsers by name. */
export const targets: Readonly<Record<string, Target>> = {
  http: responses,
  yaml: yamlBodies,
  json: jsonBodies,
  protobuf: protobufBodies,
  certs: certificates,
  cel,
  patch: patches,
  kubeconfig: kubeconfigs,
  project: projects,
};
