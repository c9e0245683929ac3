import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { createClient, createLogger, labelsMatch, loadConfig, ownerReferenceTo } from "@tsbuilder/runtime";
import { ValidatingWebhookConfiguration } from "@tsbuilder/runtime/k8s/admissionregistration/v1";
import { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { startTestManager } from "@tsbuilder/runtime/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { findCollector, startCollector, type TreeSpan } from "./opentelemetry/collector.ts";
import { startZipkin } from "./opentelemetry/zipkin.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/** An operator, kube-apiserver and OpenTelemetry's own collector: what this writes is one trace from a webhook to a child. */
const binaries = findBinaries({ build: false });
const collector = "missing" in binaries ? binaries : findCollector({ build: false });
if ("missing" in collector) console.log(`left out: OpenTelemetry's collector: ${collector.missing}`);

const namespace = "default";
const labelled = labelsMatch({ matchLabels: { app: "shop" } });

describe.skipIf("missing" in collector)("with OpenTelemetry's collector", () => {
  test("a trace leads from a webhook's call over the reconcile to the child, with metrics and logs beside it", async () => {
    if ("missing" in binaries || !("program" in collector)) return;
    const folder = mkdtempSync(join(tmpdir(), "opentelemetry-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const zipkin = await startZipkin();
    onTestFinished(() => zipkin.stop());
    const collecting = await startCollector(collector.program, folder, zipkin.endpoint);
    onTestFinished(() => collecting.stop());
    const tracing = join(folder, "tracing.json");
    const sampling = { endpoint: collecting.grpc, samplingRatePerMillion: 1_000_000 };
    const kind = { apiVersion: "apiserver.config.k8s.io/v1", kind: "TracingConfiguration" };
    writeFileSync(tracing, JSON.stringify({ ...kind, ...sampling }));
    const flags = [`--tracing-config-file=${tracing}`];
    const controlPlane = await startControlPlane(binaries.folder, { flags });
    onTestFinished(() => controlPlane.stop());
    const { kubeconfig } = controlPlane;

    const certificates = join(folder, "certificates");
    const ca = createCA({ commonName: "webhooks" });
    const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
    mkdirSync(certificates);
    writeFileSync(join(certificates, "tls.crt"), cert);
    writeFileSync(join(certificates, "tls.key"), key);
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collecting.http);
    onTestFinished(() => void vi.unstubAllEnvs());
    const metadata = { namespace, name: "a", labels: { app: "shop" } };
    let calls = 0;
    let written: string | undefined;
    const seenAgain = new Set<string>();
    const log = createLogger({ level: "debug", encoder: "json", write() {} });
    const running = await startTestManager(
      {
        kubeconfig,
        name: "shop",
        logger: log,
        webhooks: { port: 0, host: "127.0.0.1", certPath: certificates },
      },
      (manager) => {
        manager.webhookAt("/validate", () => void calls++);
        manager
          .controllerFor(ConfigMap, { predicates: [labelled] })
          .owns(Secret)
          .complete({
            async reconcile({ namespace, name }) {
              const config = await manager.client.find(ConfigMap, { namespace, name });
              if (!config) return;
              log.info("Seen");
              const owned = { namespace, name, ownerReferences: [ownerReferenceTo(config)] };
              const colour = config.data?.["colour"] ?? "";
              if (colour === written) seenAgain.add(colour);
              const stringData = { password: "hunter2", colour };
              await manager.client.apply(Secret, { metadata: owned, stringData });
              written = colour;
            },
          });
      },
    );
    // The client of another program, which traces nothing: the API server begins the trace.
    const client = createClient(await loadConfig({ kubeconfig, env: {} }));
    onTestFinished(() => client.close());
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name: "shop" },
      webhooks: [
        {
          name: "validate.example.com",
          admissionReviewVersions: ["v1"],
          clientConfig: {
            url: `https://${running.manager.addresses.webhooks}/validate`,
            caBundle: Buffer.from(ca.cert).toString("base64"),
          },
          objectSelector: { matchLabels: { app: "shop" } },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
          sideEffects: "None",
        },
      ],
    });
    await client.create(ConfigMap, { metadata, data: { colour: "red" } });
    // A short while after its configuration was created, the API server doesn't call a webhook yet.
    await eventually(async () => {
      await client.patch(ConfigMap, metadata, { merge: { data: { colour: `blue ${calls}` } } });
      return calls > 0;
    });
    await client.patch(ConfigMap, metadata, { merge: { data: { colour: "green" } } });
    await eventually(async () => {
      const { data } = await client.get(Secret, metadata);
      return data?.["colour"] === Buffer.from("green").toString("base64");
    });
    // The event of the operator's own write leads to the reconcile that has a link to it.
    await eventually(() => seenAgain.has("green"));
    await running.stop();
    await controlPlane.stop();
    await collecting.stop();

    const spans = collecting.spans();
    const write = "PATCH /api/v1/namespaces/{namespace}/secrets/{name}";
    const told = [
      "apiserver: PATCH /api/v1/namespaces/{:namespace}/configmaps/{:name}",
      "apiserver: Call validating webhook",
      "shop: POST /validate",
      "shop: reconcile configmap",
      `shop: ${write}`,
      "apiserver: PATCH /api/v1/namespaces/{:namespace}/secrets/{:name}",
      "apiserver: etcdserverpb.KV/Txn",
    ];
    expect(waysThrough(spans, "POST /validate", told)).toContainEqual(told);
    const toldByZipkin = told.map((step) => step.toLowerCase());
    expect(waysThrough(zipkin.tree(), "post /validate", toldByZipkin)).toContainEqual(toldByZipkin);

    const writes = spans.filter(({ service, name }) => service === "shop" && name === write);
    const linked = spans.filter(({ links }) =>
      writes.some(({ spanId }) => links.some((link) => link.spanId === spanId)),
    );
    expect(linked.map(({ name }) => name)).toContain("reconcile configmap");
    const links = writes.map(({ spanId }) => expect.stringContaining(spanId) as string);
    const localEndpoint = { serviceName: "shop" };
    const route = { "http.request.method": "POST", "http.route": "/validate" };
    const linkedTags = { "span.kind": "internal", "otlp.link.0": expect.toBeOneOf(links) as string };
    for (const shown of [
      { name: "post /validate", kind: "SERVER", tags: route },
      { name: "reconcile configmap", tags: linkedTags },
    ])
      expect(zipkin.spans).toContainEqual(
        expect.objectContaining({
          ...shown,
          localEndpoint,
          tags: expect.objectContaining(shown.tags) as object,
        }),
      );
    const [logged] = collecting.documents("logs");
    const traces = spans.filter(({ name }) => name === "reconcile configmap").map(({ traceId }) => traceId);
    expect(recordsOf(logged, "body", "Seen")).toContainEqual(
      expect.objectContaining({ severityText: "INFO", traceId: expect.toBeOneOf(traces) as string }),
    );
    const [measured] = collecting.documents("metrics");
    expect(recordsOf(measured, "name", "controller_runtime_reconcile_time_seconds")).toMatchObject([
      { unit: "s", histogram: { dataPoints: [{ attributes: [{ key: "controller" }] }] } },
    ]);
    const documents = ["traces", "metrics", "logs"].map((signal) => collecting.documents(signal));
    expect(JSON.stringify([documents, zipkin.spans])).not.toMatch(/hunter2|aHVudGVyMg/u);
  });
});

/** Returns the records in a document of OTLP that have a value in a field. */
function recordsOf(document: unknown, field: string, value: string): object[] {
  if (typeof document !== "object" || document === null) return [];
  const own = (document as Readonly<Record<string, unknown>>)[field];
  const text = typeof own === "object" && own !== null && "stringValue" in own ? own.stringValue : own;
  return [
    ...(text === value ? [document] : []),
    ...Object.values(document).flatMap((part) => recordsOf(part, field, value)),
  ];
}

/** Returns each way from the root of a trace over a span to a leaf: those of its steps that are told of, as "service: name". */
function waysThrough(spans: readonly TreeSpan[], name: string, told: readonly string[]): string[][] {
  return spans
    .filter((span) => span.name === name)
    .flatMap((span) => pathsOf(spans, span))
    .map((path) => path.map((step) => `${step.service}: ${step.name}`).filter((step) => told.includes(step)));
}

/** Returns the ways from the root of a trace to the leaves below a span. */
function pathsOf(spans: readonly TreeSpan[], from: TreeSpan): TreeSpan[][] {
  const above: TreeSpan[] = [];
  let parent: TreeSpan | undefined = from;
  while (parent) {
    above.unshift(parent);
    const { traceId, parentSpanId }: TreeSpan = parent;
    parent = spans.find((span) => span.traceId === traceId && span.spanId === parentSpanId);
  }
  const below = (path: TreeSpan[]): TreeSpan[][] => {
    const last = path.at(-1)!;
    const children = spans.filter(
      ({ traceId, parentSpanId }) => traceId === last.traceId && parentSpanId === last.spanId,
    );
    return children.length === 0 ? [path] : children.flatMap((child) => below([...path, child]));
  };
  return below(above);
}
