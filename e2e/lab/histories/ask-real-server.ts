import { request } from "node:https";
import type { ApiChange, ComparedCrd } from "../../../src/lifecycle/compare-crds.ts";
import { placeOfChange } from "../../../src/lifecycle/allowances.ts";
import type { ControlPlane } from "../../oracle/real/control-plane.ts";
import { eventually } from "../../support/eventually.ts";

/** A witness, and how a kube-apiserver responds to it with the earlier CRD and with the new one. */
export interface Verdict {
  readonly place: string;
  /** The server's message if it rejects the witness; else empty, or the object with its defaults if these are in question. */
  readonly before: string;
  readonly now: string;
  /** The server confirms what the witness is said to show. */
  readonly isTrue: boolean;
}

/** Asks a kube-apiserver about witnesses that are refused, lose fields, or get other defaults. */
export async function askServer(
  control: ControlPlane,
  old: ComparedCrd,
  next: ComparedCrd,
  changes: readonly ApiChange[],
): Promise<Verdict[]> {
  // Two versions of one CRD can't be compared in this way.
  const asked = changes.filter(
    ({ rule, witness }) => rule !== "version-loses-data" && witness && witness.outcome !== "unknown",
  );
  if (asked.length === 0) return [];
  const before = await responsesTo(control, old, asked);
  const now = await responsesTo(control, next, asked);
  return asked.map((change, index) => {
    const [first, second] = [before[index]!, now[index]!];
    const isOtherValue = change.witness!.outcome === "other value";
    return {
      place: `${change.rule} ${placeOfChange(change)}`,
      before: first.message || (isOtherValue ? first.object : ""),
      now: second.message || (isOtherValue ? second.object : ""),
      isTrue:
        first.message === "" &&
        (isOtherValue ? second.message === "" && first.object !== second.object : second.message !== ""),
    };
  });
}

/** Serves a CRD, and tries the witnesses on it without storing them: unknown fields and nulls count as refused. */
async function responsesTo(
  control: ControlPlane,
  crd: ComparedCrd,
  changes: readonly ApiChange[],
): Promise<Response[]> {
  const { spec } = crd;
  const served = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    // Kubernetes' own groups need the consent of their owners.
    metadata: {
      name: crd.metadata.name,
      annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
    },
    // A status that is no subresource is validated when an object is created.
    spec: {
      ...spec,
      conversion: undefined,
      versions: spec.versions.map((version) => ({
        ...version,
        subresources: undefined,
        additionalPrinterColumns: undefined,
      })),
    },
  };
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const made = await send(control, "POST", crds, served);
  if (made.status !== 201) throw new Error(`${crd.metadata.name}: ${made.message}`);
  const collection = (version: string): string =>
    `/apis/${spec.group}/${version}/${spec.scope === "Namespaced" ? "namespaces/default/" : ""}${spec.names.plural}`;
  try {
    for (const version of new Set(changes.map(({ version }) => version!)))
      await eventually(async () => {
        const { status, message } = await send(control, "GET", collection(version));
        if (status !== 200) throw new Error(`${collection(version)}: ${message}`);
      });
    const responses: Response[] = [];
    for (const { version, witness } of changes) {
      const path = collection(version!);
      const { object, old } = witness!;
      if (old) {
        const stored = await send(control, "POST", path, old);
        const metadata = { ...object.metadata, resourceVersion: stored.resourceVersion };
        const updated = await send(control, "PUT", `${path}/example?dryRun=All`, { ...object, metadata });
        responses.push(stored.message === "" ? updated : stored);
        await send(control, "DELETE", `${path}/example`);
      } else responses.push(await send(control, "POST", `${path}?dryRun=All&fieldValidation=Strict`, object));
    }
    return responses;
  } finally {
    await send(control, "DELETE", `${crds}/${crd.metadata.name}`);
    await eventually(async () => {
      if ((await send(control, "GET", `${crds}/${crd.metadata.name}`)).status !== 404)
        throw new Error("the CRD is still there");
    });
  }
}

interface Response {
  readonly status: number;
  /** Empty unless the response is an error. */
  readonly message: string;
  /** The object as JSON, without its metadata. */
  readonly object: string;
  readonly resourceVersion: string | undefined;
}

function send({ url, token }: ControlPlane, method: string, path: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => {
          const status = response.statusCode ?? 0;
          const text = Buffer.concat(chunks).toString();
          const parsed = JSON.parse(text.startsWith("{") ? text : "{}") as {
            message?: string;
            metadata?: { resourceVersion?: string };
          };
          const message = status < 300 ? "" : (parsed.message ?? (text || String(status)));
          const object = JSON.stringify({ ...parsed, metadata: undefined });
          resolve({ status, message, object, resourceVersion: parsed.metadata?.resourceVersion });
        });
    });
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
}
