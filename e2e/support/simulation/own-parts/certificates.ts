import type { Manager } from "@tsbuilder/runtime";
import type { Scenario, SimulatedOperator, Step } from "@tsbuilder/simulation";
import { applyShop, setupShops, Shop, shopScenario } from "../simulated-shop.ts";

const service = { namespace: "system", name: "hooks" };

const configuration = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "shops" },
  webhooks: [
    {
      name: "validate.sim.dev",
      clientConfig: { service: { ...service, path: "/validate-sim-dev-v1-shop" } },
      rules: [{ apiGroups: ["sim.dev"], apiVersions: ["v1"], resources: ["shops"], operations: ["*"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 5,
    },
  ],
};

function setupWebhooks(manager: Manager): void {
  manager
    .webhookFor(Shop)
    .validator({ validateCreate: () => [] })
    .complete();
}

function setup(manager: Manager): void {
  setupShops(manager);
  setupWebhooks(manager);
}

/** Serves with a certificate that lives for 144 minutes, and is replaced after 76. */
const serving = (name: string, setup: SimulatedOperator["setup"]): SimulatedOperator => ({
  name,
  setup,
  manager: {
    webhooks: { selfManaged: { service: service.name, namespace: service.namespace, days: 0.1 } },
  },
});

const secret = {
  apiVersion: "v1",
  kind: "Secret",
  namespace: service.namespace,
  name: `${service.name}-cert`,
};

const later = (minutes: number, size: number): Step =>
  ({ ...applyShop("a", { size }), after: minutes * 60_000 }) as Step;

/** Starts a while after the other, so that it looks at the certificate at another time. */
async function setupTwin(manager: Manager): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 150_000);
  });
  setupWebhooks(manager);
}

/** Two processes serve the same webhooks, without a lease: its renewals would make long runs longer. */
export const servedCertificates: Scenario = {
  ...shopScenario(),
  operators: [serving("shop", setup), serving("twin", setupTwin)],
  objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: service.namespace } }, configuration],
  steps: [
    applyShop("a", { size: 1 }),
    { do: "delete", target: secret, after: 600_000 },
    ...[2, 3, 4, 5, 6].map((size) => later(1, size)),
    { do: "patch", target: secret, merge: { data: { "tls.key": "" } }, after: 600_000 },
    ...[7, 8, 9, 10, 11].map((size) => later(1, size)),
    ...[80, 1, 1, 1, 63, 1].map((minutes, at) => later(minutes, at + 12)),
  ],
  // The certificate outlives what it was used for.
  mayStay: ({ kind }) => kind === "Secret",
};
