import { request } from "node:https";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";

/** A real API server to ask: its address, and an administrator's token. */
const [address = "https://127.0.0.1:16443", token = "tok"] = process.argv.slice(2);

/** The group of everything that is made there. */
export const group = "recorded.tsbuilder.test";

/** What it answered. */
export interface Answer {
  readonly status: number;
  readonly warnings: string[];
  readonly body: Record<string, unknown>;
}

/** Sends one request. */
export function call(method: string, path: string, body?: unknown): Promise<Answer> {
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
          const warnings =
            warning === undefined
              ? []
              : [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((m) =>
                  m[1]!.replaceAll(/\\(.)/g, "$1"),
                );
          resolve({ status: response.statusCode!, warnings, body: text === "" ? {} : JSON.parse(text) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A CRD around the schema of `spec`. */
export function crd(plural: string, spec: JSONSchema): object {
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

/** Makes or replaces a CRD, and waits until it serves. */
export async function install(plural: string, spec: JSONSchema): Promise<void> {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const name = `${plural}.${group}`;
  const existing = await call("GET", `${crds}/${name}`);
  const definition = crd(plural, spec) as { metadata: Record<string, unknown> };
  if (existing.status === 200) {
    definition.metadata["resourceVersion"] = (existing.body["metadata"] as Record<string, unknown>)[
      "resourceVersion"
    ];
  }
  const answer =
    existing.status === 200
      ? await call("PUT", `${crds}/${name}`, definition)
      : await call("POST", crds, definition);
  if (answer.status >= 300) throw new Error(`${plural}: ${JSON.stringify(answer.body)}`);
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await call("GET", `${crds}/${name}`);
    const conditions = ((body["status"] as Record<string, unknown>)?.["conditions"] ?? []) as {
      type: string;
      status: string;
    }[];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
}

/** What is worth recording of an answer. */
export function digest(answer: Answer): object {
  const { status, warnings, body } = answer;
  if (status < 300) return { status, warnings, spec: body["spec"] ?? null };
  const details = body["details"] as { causes?: object[] } | undefined;
  return { status, warnings, causes: details?.causes ?? [] };
}
