import { chapters } from "../conformance/chapters.ts";
import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import { readRecorded } from "../recorded.ts";
import { collectionPath, type Kind } from "./read-kinds.ts";

/** Objects that a real server accepted when a story created them, by the path they were posted to. */
export type Samples = ReadonlyMap<string, readonly object[]>;

/** A CA of 100 years, and an empty certificate signing request; nobody has their key. */
const certificate =
  "MIIBLjCB4aADAgECAhQAlE54lYvUNOjhfXazAy4OARLUczAFBgMrZXAwDDEKMAgGA1UEAwwBYTAgFw0yNjExMzAxMjA0MjNaGA8yMTI2MTEwNjEyMDQyM1owDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAGfKl7xXfE0Z7ieuQt2CHo1B63+gYn/Nplq6MH99K9jlo1MwUTAdBgNVHQ4EFgQUytNZ8EwiRLALC60Mp6mC3SQ9I1QwHwYDVR0jBBgwFoAUytNZ8EwiRLALC60Mp6mC3SQ9I1QwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXADQQDZx+0rNh2JPbzD/X00JNc97DJtdmR8vWDGrMtDCRKls06tjlyTfVOlwJPXhrR/B6S/2imKj2rqcfX5UWIdljsO";
const request =
  "MH8wMwIBADAAMCowBQYDK2VwAyEAZ8qXvFd8TRnuJ65C3YIejUHrf6Bif82mWrowf30r2OWgADAFBgMrZXADQQC0A82Y+EOJMd6Hck3gDDzaXOoqGuf6zFayYbC23daDbSUpzPA7yCez68WArPzxm8jDM6jKYD1scWMv8g1bhR4G";

/** Kinds that no story creates; those at the end are served since 1.37. */
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
  "/apis/certificates.k8s.io/v1/clustertrustbundles": [
    {
      metadata: { name: "a" },
      spec: { trustBundle: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n` },
    },
    {
      metadata: { name: "example.com:signer:a" },
      spec: {
        signerName: "example.com/signer",
        trustBundle: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
      },
    },
  ],
  "/apis/certificates.k8s.io/v1/namespaces/{ns}/podcertificaterequests": [
    {
      metadata: { name: "a" },
      spec: {
        signerName: "example.com/signer",
        podName: "web",
        podUID: "3b8f1a4e-0000-4000-8000-000000000001",
        serviceAccountName: "default",
        serviceAccountUID: "3b8f1a4e-0000-4000-8000-000000000002",
        nodeName: "node-1",
        nodeUID: "3b8f1a4e-0000-4000-8000-000000000003",
        maxExpirationSeconds: 86_400,
        stubPKCS10Request: request,
      },
    },
  ],
  "/apis/resource.k8s.io/v1/devicetaintrules": [
    {
      metadata: { name: "a" },
      spec: {
        deviceSelector: { driver: "gpu.example.com", pool: "pool", device: "gpu-0" },
        taint: {
          key: "example.com/broken",
          value: "yes",
          effect: "NoExecute",
          timeAdded: "2026-01-01T00:00:00Z",
        },
      },
    },
  ],
  "/apis/storagemigration.k8s.io/v1/storageversionmigrations": [
    { metadata: { name: "a" }, spec: { resource: { group: "apps", resource: "deployments" } } },
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
