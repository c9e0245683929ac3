import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Certificate } from "./types.ts";

interface Order {
  readonly dnsName: string;
  readonly days: number;
  readonly readyAt: number;
  readonly serial: string;
  notAfter?: string;
}

/** An authority that takes some seconds to issue a certificate, and keeps the last one of each owner. */
const ca = external({
  state: () => ({ certificates: new Map<string, Order>(), issued: 0 }),
  async handle(request, state) {
    const { certificates } = state;
    const owner = request.url.split("/").at(-1)!;
    if (request.method === "DELETE")
      return Response.json({}, { status: certificates.delete(owner) ? 200 : 404 });
    const { dnsName, days, replaces } = (await request.json()) as Order & { readonly replaces?: string };
    const former = certificates.get(owner);
    const isRepeated = former?.dnsName === dnsName && former.days === days && former.serial !== replaces;
    const readyAt = Date.now() + 8000;
    const order = isRepeated ? former : { dnsName, days, readyAt, serial: `${owner}-${++state.issued}` };
    certificates.set(owner, order);
    if (Date.now() < order.readyAt) return Response.json({}, { status: 202 });
    order.notAfter ??= new Date(Date.now() + order.days * 86_400_000).toISOString();
    return Response.json({ ...order, pem: `certificate of ${dnsName}` });
  },
});

export const exam: Exam = {
  kind: Certificate,
  world: () => ({
    external: { ca },
    operations: { values: { "spec.dnsName": ["shop.example.com", "www.example.com"] } },
    // When it was ordered, and how many there were before.
    mayDiffer: ({ apiVersion, kind, metadata }, field = "") =>
      (apiVersion === "external" && (metadata.name === "issued" || /readyAt|serial/.test(field))) ||
      (kind === "Secret" && field.includes("serial")),
  }),
  defects: [
    {
      name: "renewal-throws",
      seenIn: "code that runs for the first time weeks after the test",
      classes: ["error", "hot-loop"],
      edits: [
        {
          right: "const issued = await",
          wrong: 'if (isCurrent) throw new Error("not implemented");\n        const issued = await',
        },
      ],
    },
    {
      name: "renewal-forgotten",
      seenIn: "cert operators whose resync hid that nothing else wakes them",
      classes: ["overdue", "promise", "history"],
      edits: [
        { right: "return { requeueAfter: `${Math.ceil(renewAt - clock.now())}ms` };", wrong: "return;" },
      ],
    },
    {
      name: "pending-not-polled",
      seenIn: "orders that are asked for once, and never looked at again",
      classes: ["overdue", "hot-loop", "unretried", "history", "interrupted"],
      edits: [{ right: 'return { requeueAfter: "5s" };', wrong: "return;" }],
    },
    {
      name: "days-not-compared",
      seenIn: "Acto: a change of one field never reaches what was made before",
      classes: ["history"],
      edits: [{ right: "return `${dnsName} ${days}`;", wrong: "return dnsName;" }],
    },
    {
      name: "secret-without-owner",
      seenIn: "Secrets that outlive their certificates",
      classes: ["leftover"],
      edits: [{ right: "{ owner: certificate },", wrong: "{}," }],
    },
  ],
};
