import { writeFileSync } from "node:fs";
import { request } from "node:https";
import type { JSONSchema } from "../json-schema.ts";
import { cases } from "./cases.ts";

/**
 * Records what a real API server answers to the cases: run with its address and a token of an administrator.
 * `node --conditions=@tsbuilder/source --import tsx record.ts https://127.0.0.1:16443 tok`
 */
const [address = "https://127.0.0.1:16443", token = "tok"] = process.argv.slice(2);
const group = "recorded.tsbuilder.test";

interface Answer {
  readonly status: number;
  readonly warnings: string[];
  readonly body: Record<string, unknown>;
}

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${address}${path}`,
      {
        method,
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => {
          const warning = response.headers["warning"];
          const warnings = warning === undefined ? [] : [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((m) => m[1]!.replaceAll(/\\(.)/g, "$1"));
          resolve({ status: response.statusCode!, warnings, body: text === "" ? {} : JSON.parse(text) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function crd(plural: string, spec: JSONSchema): object {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { plural, kind },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } },
      ],
    },
  };
}

async function install(plural: string, spec: JSONSchema): Promise<void> {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const name = `${plural}.${group}`;
  const existing = await call("GET", `${crds}/${name}`);
  const definition = crd(plural, spec) as { metadata: Record<string, unknown> };
  if (existing.status === 200) {
    definition.metadata["resourceVersion"] = (existing.body["metadata"] as Record<string, unknown>)["resourceVersion"];
  }
  const answer =
    existing.status === 200 ? await call("PUT", `${crds}/${name}`, definition) : await call("POST", crds, definition);
  if (answer.status >= 300) throw new Error(`${plural}: ${JSON.stringify(answer.body)}`);
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await call("GET", `${crds}/${name}`);
    const conditions = ((body["status"] as Record<string, unknown>)?.["conditions"] ?? []) as { type: string; status: string }[];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
}

function digest(answer: Answer): object {
  const { status, warnings, body } = answer;
  if (status < 300) return { status, warnings, spec: body["spec"] ?? null };
  const details = body["details"] as { causes?: object[] } | undefined;
  return { status, warnings, message: body["message"], causes: details?.causes ?? [] };
}

const recorded: Record<string, unknown> = {};
for (const [index, { name, spec, creates = [], updates = [] }] of cases.entries()) {
  const plural = `case${index}s`;
  const kind = `Case${index}s`;
  const path = `/apis/${group}/v1/${plural}`;
  const object = (value: unknown, extra: object = {}): object => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: "x", ...extra },
    ...(value === undefined ? {} : { spec: value }),
  });
  await install(plural, spec);
  const created: object[] = [];
  for (const value of creates) created.push(digest(await call("POST", `${path}?dryRun=All`, object(value))));
  const updated: object[] = [];
  for (const { before, after } of updates) {
    await install(plural, { type: "object", "x-kubernetes-preserve-unknown-fields": true });
    const { body } = await call("POST", path, object(before));
    await install(plural, spec);
    const resourceVersion = (body["metadata"] as Record<string, unknown>)["resourceVersion"];
    updated.push(digest(await call("PUT", `${path}/x?dryRun=All`, object(after, { resourceVersion }))));
    await call("DELETE", `${path}/x`);
  }
  recorded[name] = { creates: created, updates: updated };
  await call("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`);
}
writeFileSync(new URL("recorded.json", import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`);
