import { chapters } from "../conformance/chapters.ts";
import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import { readRecorded } from "../recorded.ts";
import { collectionPath, type Kind } from "./read-kinds.ts";

/** Objects that a real server accepted when a story created them, by the path they were posted to. */
export type Samples = ReadonlyMap<string, readonly object[]>;

/** Kinds that no story creates. */
const others: Readonly<Record<string, readonly object[]>> = {
  "/apis/apiregistration.k8s.io/v1/apiservices": [
    {
      metadata: { name: "v1.remote.example.com" },
      spec: {
        group: "remote.example.com",
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace: "default", name: "remote" },
        insecureSkipTLSVerify: true,
      },
    },
  ],
  "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers": [
    {
      metadata: { name: "a" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 80,
      },
    },
  ],
  "/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews": [
    { spec: { user: "jane", resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" } } },
  ],
  "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": [{ spec: { namespace: "{ns}" } }],
  "/apis/authentication.k8s.io/v1/selfsubjectreviews": [{}],
  "/apis/networking.k8s.io/v1/ipaddresses": [
    {
      metadata: { name: "192.168.7.7" },
      spec: { parentRef: { resource: "services", name: "web", namespace: "default" } },
    },
  ],
};

/** Collects the samples from the stories of the comparison. */
export async function readSamples(): Promise<Samples> {
  const samples = new Map<string, object[]>(
    Object.entries(others).map(([path, bodies]) => [path, [...bodies]]),
  );
  for (const [chapter, stories] of Object.entries(chapters)) {
    const recorded = await readRecorded<MaskedAnswer>("conformance", chapter);
    for (const { name, steps } of stories) {
      for (const [index, { method, path, body, type }] of steps.entries()) {
        const isCreated = method === "POST" && recorded[name]?.[index]?.code === 201 && type === undefined;
        if (!isCreated || typeof body !== "object" || body === null) continue;
        if (/\{(?:\d+\.|group)/u.test(JSON.stringify(body))) continue;
        const found = samples.get(path) ?? [];
        if (found.length < 12) samples.set(path, [...found, body]);
      }
    }
  }
  return samples;
}

/** The valid objects of a kind, each with a type; an empty list if there are none. */
export function samplesOf(kind: Kind, samples: Samples): readonly Sample[] {
  const { apiVersion, kind: name } = kind;
  return (samples.get(collectionPath(kind)) ?? []).map((body) => {
    const { metadata } = body as { metadata?: object };
    return { apiVersion, kind: name, ...body, ...(metadata && { metadata: { ...metadata } }) };
  });
}

export interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name?: string };
}
