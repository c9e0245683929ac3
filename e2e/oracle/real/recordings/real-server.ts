import { randomUUID } from "node:crypto";
import { request } from "node:https";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { eventually } from "../../../support/eventually.ts";

/** A real API server to ask: its address, and an administrator's token. */
const [address = "https://127.0.0.1:16443", token = "tok"] = process.argv.slice(2);

/** The group of everything that is made there. */
export const group = "recorded.tsbuilder.test";

/** The server's response. */
export interface Answer {
  readonly status: number;
  readonly warnings: string[];
  readonly body: Record<string, unknown>;
}

/** Sends one request. */
export function call(
  method: string,
  path: string,
  body?: unknown,
  accept = "application/json",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${address}${path}`,
      {
        method,
        rejectUnauthorized: false,
        headers: { accept, authorization: `Bearer ${token}`, "content-type": "application/json" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => {
          const warning = response.headers["warning"];
          const warnings =
            warning === undefined
              ? []
              : [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((m) =>
                  m[1]!.replaceAll(/\\(.)/g, "$1"),
                );
          // A path that is not served yet is answered with plain text.
          const isJSON = response.headers["content-type"]?.startsWith("application/json") === true;
          resolve({ status: response.statusCode!, warnings, body: isJSON ? JSON.parse(text) : {} });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface CRD {
  readonly metadata: Record<string, unknown>;
  readonly spec: { readonly versions: Record<string, unknown>[]; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** A CRD around the schema of `spec`. */
export function crd(plural: string, spec: JSONSchema): CRD {
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
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
}

/**
 * Creates or replaces a CRD, and waits until the server serves this schema. A replaced CRD is served a moment later and
 * stays Established meanwhile, so each gets a column of its own: the server reads schema and columns at once.
 */
export async function install(plural: string, spec: JSONSchema): Promise<void> {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const column = randomUUID();
  const definition = crd(plural, spec);
  definition.spec.versions[0]!["additionalPrinterColumns"] = [
    { name: column, type: "string", jsonPath: ".metadata.name" },
  ];
  const path = `${crds}/${plural}.${group}`;
  const existing = await call("GET", path);
  if (existing.status === 200) {
    const { resourceVersion } = existing.body["metadata"] as { resourceVersion: string };
    definition.metadata["resourceVersion"] = resourceVersion;
  }
  const answer =
    existing.status === 200 ? await call("PUT", path, definition) : await call("POST", crds, definition);
  if (answer.status >= 300) throw new Error(`${plural}: ${JSON.stringify(answer.body)}`);
  await eventually(async () => {
    const { body } = await call("GET", `/apis/${group}/v1/${plural}`, undefined, table);
    const columns = body["columnDefinitions"] as { name: string }[] | undefined;
    return columns?.some(({ name }) => name === column) ?? false;
  });
}

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** The part of a response that is recorded. */
export function digest(answer: Answer): object {
  const { status, warnings, body } = answer;
  if (status < 300) return { status, warnings, spec: body["spec"] ?? null };
  const details = body["details"] as { causes?: object[] } | undefined;
  return { status, warnings, causes: details?.causes ?? [] };
}
