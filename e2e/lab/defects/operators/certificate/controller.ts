import { createHash } from "node:crypto";
import { type Context, type Manager, setCondition, type Stored } from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { Certificate } from "./types.ts";

// +kubebuilder:rbac:groups=pki.example.com,resources=certificates,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=pki.example.com,resources=certificates/status,verbs=patch
// +kubebuilder:rbac:groups=pki.example.com,resources=certificates/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const authority = "http://ca.example.com";
const day = 86_400_000;

interface Issued {
  readonly serial: string;
  readonly pem: string;
  readonly notAfter: string;
}

/** Orders a certificate, waits until it is issued, and renews it when a third of its time is left. */
export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(Certificate)
    .owns(Secret)
    .finalizer("pki.example.com/revoked", async ({ metadata }, context) => {
      await ask("DELETE", `certificates/${metadata.uid}`, context);
    })
    .complete({
      async reconcile(request, context) {
        let certificate = await client.find(Certificate, request);
        if (!certificate) return;
        const { spec, metadata, status = {} } = certificate;
        const name = `${request.name}-tls`;
        const secret = await client.find(Secret, { name, namespace: request.namespace });
        const held = secret?.metadata.annotations ?? {};
        const renewAt = renewalOf(held, spec.days ?? 30);
        const isCurrent = held["pki.example.com/wish"] === wishOf(spec);
        const isIntact = held["pki.example.com/digest"] === digestOf(secret?.data?.["tls.crt"]);
        // Another wish may have been ordered since, and been taken back: the authority keeps the last one.
        const isOrdered = status.order !== undefined;
        if (secret && isCurrent && isIntact && !isOrdered && clock.now() < renewAt) {
          await report(certificate, "True", "Issued", held["pki.example.com/not-after"]);
          return { requeueAfter: `${Math.ceil(renewAt - clock.now())}ms` };
        }
        const current = await client.find(Certificate, request, { live: true });
        if (!current || current.metadata.uid !== metadata.uid || current.metadata.deletionTimestamp) return;
        // Noted before it is ordered, so that whoever dies in between knows what the authority may have.
        const ordered = { ...current.status, order: wishOf(spec) };
        certificate = await client.patchStatus(Certificate, current, ordered);
        // A repeated call finds the order that is there; a renewal names the certificate that it replaces.
        const issued = await ask<Issued>("PUT", `certificates/${metadata.uid}`, context, {
          dnsName: spec.dnsName,
          days: spec.days ?? 30,
          replaces: isCurrent && isIntact ? held["pki.example.com/serial"] : undefined,
        });
        if (!issued) {
          await report(certificate, "False", "Pending", status.notAfter);
          return { requeueAfter: "5s" };
        }
        const pem = Buffer.from(issued.pem).toString("base64");
        await client.apply(
          Secret,
          {
            metadata: {
              name,
              namespace: request.namespace,
              annotations: {
                "pki.example.com/serial": issued.serial,
                "pki.example.com/not-after": issued.notAfter,
                "pki.example.com/wish": wishOf(spec),
                "pki.example.com/digest": digestOf(pem),
              },
            },
            data: { "tls.crt": pem },
          },
          { owner: certificate },
        );
        await report(certificate, "True", "Issued", issued.notAfter);
        return { requeueAfter: "1s" };
      },
    });

  async function report(
    certificate: Stored<Certificate>,
    status: "True" | "False",
    reason: string,
    notAfter: string | undefined,
  ): Promise<void> {
    const ready = { type: "Ready", status, reason, message: "" } as const;
    const { order, conditions = [] } = certificate.status ?? {};
    await client.patchStatus(Certificate, certificate, {
      observedGeneration: certificate.metadata.generation!,
      ...(status === "False" && order !== undefined && { order }),
      ...(notAfter !== undefined && { notAfter }),
      conditions: setCondition(conditions, ready),
    });
  }
}

function wishOf({ dnsName, days }: Stored<Certificate>["spec"]): string {
  return `${dnsName} ${days}`;
}

/** Returns what differs when somebody changes the certificate in the Secret. */
function digestOf(pem = ""): string {
  return createHash("sha256").update(pem).digest("hex");
}

/** Returns when a certificate is to be renewed, in milliseconds since 1970. */
function renewalOf(annotations: Readonly<Record<string, string>>, days: number): number {
  return Date.parse(annotations["pki.example.com/not-after"] ?? "1970-01-01T00:00:00Z") - (days * day) / 3;
}

/** Asks the authority. Undefined says that there is none, or none yet. */
async function ask<Answer>(
  method: string,
  path: string,
  { signal }: Context,
  body?: object,
): Promise<Answer | undefined> {
  const response = await fetch(`${authority}/${path}`, {
    method,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 202 || response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`);
  return (await response.json()) as Answer;
}
