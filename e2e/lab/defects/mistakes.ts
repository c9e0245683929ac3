/** A mistake that people make while they write an operator: an edit of a right source, whose `right` stands there once. */
export interface Mistake {
  readonly name: string;
  readonly operator: "certificate" | "quorum" | "database";
  readonly file: "controller.ts" | "types.ts" | "webhooks.ts";
  readonly right: string;
  readonly wrong: string;
  /** Further imports of the wrong source. */
  readonly imports?: string;
  /** The check that finds the mistake before anything runs. */
  readonly caughtBy: "types" | "lint" | "manifests" | "nothing";
}

/** They were chosen before anybody looked which of them are caught. */
export const mistakes: readonly Mistake[] = [
  {
    name: "a misspelt field that is read",
    operator: "certificate",
    file: "controller.ts",
    right: "dnsName: spec.dnsName,",
    wrong: "dnsName: spec.dnsname,",
    caughtBy: "types",
  },
  {
    name: "nobody waits for a write",
    operator: "certificate",
    file: "controller.ts",
    right: 'await report(certificate, "True", "Issued", issued.notAfter);',
    wrong: 'report(certificate, "True", "Issued", issued.notAfter);',
    caughtBy: "lint",
  },
  {
    name: "a number as a duration",
    operator: "certificate",
    file: "controller.ts",
    right: 'return { requeueAfter: "5s" };',
    wrong: "return { requeueAfter: 5 };",
    caughtBy: "types",
  },
  {
    name: "a misspelt field in a variable",
    operator: "certificate",
    file: "controller.ts",
    right: `await client.apply(
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
        );`,
    wrong: `const annotations = {
          "pki.example.com/serial": issued.serial,
          "pki.example.com/not-after": issued.notAfter,
          "pki.example.com/wish": wishOf(spec),
          "pki.example.com/digest": digestOf(pem),
        };
        const desired = {
          metadata: { name, namespace: request.namespace, annotations },
          dta: { "tls.crt": pem },
        };
        await client.apply(Secret, desired, { owner: certificate });`,
    caughtBy: "types",
  },
  {
    name: "a reason with spaces",
    operator: "certificate",
    file: "controller.ts",
    right: 'await report(certificate, "False", "Pending", status.notAfter);',
    wrong: 'await report(certificate, "False", "Not issued yet", status.notAfter);',
    caughtBy: "nothing",
  },
  {
    name: "a change of a cached object",
    operator: "certificate",
    file: "controller.ts",
    right: "const isCurrent =",
    wrong: 'secret!.metadata.annotations!["pki.example.com/seen"] = "true";\n        const isCurrent =',
    caughtBy: "types",
  },
  {
    name: "the status by a patch of the object",
    operator: "certificate",
    file: "controller.ts",
    right: `await client.patchStatus(Certificate, certificate, {
      observedGeneration: certificate.metadata.generation!,
      ...(status === "False" && order !== undefined && { order }),
      ...(notAfter !== undefined && { notAfter }),
      conditions: setCondition(conditions, ready),
    });`,
    wrong: `await client.patch(Certificate, certificate, (draft) => {
      draft.status = { notAfter, conditions: setCondition(conditions, ready) };
    });`,
    caughtBy: "types",
  },
  {
    name: "the request as the owner",
    operator: "certificate",
    file: "controller.ts",
    right: "{ owner: certificate },",
    wrong: "{ owner: request },",
    caughtBy: "types",
  },
  {
    name: "no permission for what it writes",
    operator: "certificate",
    file: "controller.ts",
    right: '// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch\n',
    wrong: "",
    caughtBy: "manifests",
  },
  {
    name: "quantities that are compared as text",
    operator: "quorum",
    file: "controller.ts",
    right: "if (running === 0) await resize(set, 1);",
    wrong: `const held = set.spec?.template.spec?.containers[0]?.resources?.limits?.["memory"] ?? 0;
    if (held > (quorum.spec.memory ?? "256Mi")) return { reason: "Waiting" };
    if (running === 0) await resize(set, 1);`,
    caughtBy: "nothing",
  },
  {
    name: "a StatefulSet without a selector",
    operator: "quorum",
    file: "controller.ts",
    right: "      selector: { matchLabels: labels },\n      template:",
    wrong: "      template:",
    caughtBy: "types",
  },
  {
    name: "an eviction without a namespace",
    operator: "quorum",
    file: "controller.ts",
    right: 'client.subresource(Pod, pod, "eviction")',
    wrong: 'client.subresource(Pod, { name: pod.metadata.name }, "eviction")',
    caughtBy: "types",
  },
  {
    name: "the result of a command as its output",
    operator: "quorum",
    file: "controller.ts",
    right: '(await run(server, quorum, "member", "list")).split',
    wrong: '(await ctl(server, quorum, "member", "list")).split',
    caughtBy: "types",
  },
  {
    name: "forEach() with an async function",
    operator: "quorum",
    file: "controller.ts",
    right: "if (broken) return replace(broken);",
    wrong: "if (broken) outdated.forEach(async (pod) => void (await replace(pod)));",
    caughtBy: "lint",
  },
  {
    name: "a boolean as the status of a condition",
    operator: "quorum",
    file: "controller.ts",
    right: 'status: reason === "Done" ? "True" : "False",',
    wrong: 'status: reason === "Done",',
    caughtBy: "types",
  },
  {
    name: "a promise as a condition",
    operator: "quorum",
    file: "controller.ts",
    right: 'if (!(await isCurrent(quorum))) return { reason: "Waiting" };\n      if (last',
    wrong: 'if (!isCurrent(quorum)) return { reason: "Waiting" };\n      if (last',
    caughtBy: "lint",
  },
  {
    name: "labels as a selector",
    operator: "quorum",
    file: "controller.ts",
    right: `maxUnavailable: 1,
      selector: { matchLabels: labels },`,
    wrong: `maxUnavailable: 1,
      selector: labels,`,
    caughtBy: "types",
  },
  {
    name: "the namespace of a cluster-scoped object",
    operator: "database",
    file: "controller.ts",
    right: "for (const namespace of spec.copies ?? []) await",
    wrong: `for (const namespace of spec.copies ?? [])
            if (await client.find(Namespace, { namespace, name: namespace })) await`,
    imports: 'import { Namespace } from "@tsbuilder/runtime/k8s/core/v1";',
    caughtBy: "types",
  },
  {
    name: "a request without a namespace",
    operator: "database",
    file: "controller.ts",
    right: "users.map(({ metadata }) => ({ namespace, name: metadata.name }))",
    wrong: "users.map(({ metadata }) => ({ name: metadata.name }))",
    caughtBy: "types",
  },
  {
    name: "the code of an error as in a Status",
    operator: "database",
    file: "controller.ts",
    right: "const conditions = rejection\n",
    wrong: "const conditions = rejection && rejection.error.code === 404\n",
    caughtBy: "types",
  },
  {
    name: "an optional field as if it were there",
    operator: "database",
    file: "controller.ts",
    right: "of spec.copies ?? [])",
    wrong: "of spec.copies)",
    caughtBy: "types",
  },
  {
    name: "a required field that a conversion forgets",
    operator: "database",
    file: "webhooks.ts",
    right: "spec: { database: databaseRef.name, access,",
    wrong: "spec: { access,",
    caughtBy: "types",
  },
  {
    name: "a validator that answers yes or no",
    operator: "database",
    file: "webhooks.ts",
    right: "validateCreate: (user) => checkCopies(user),",
    wrong: "validateCreate: (user) => checkCopies(user).length === 0,",
    caughtBy: "types",
  },
  {
    name: "a default that the enum doesn't have",
    operator: "database",
    file: "types.ts",
    right: "+kubebuilder:default=read\n",
    wrong: "+kubebuilder:default=readonly\n",
    caughtBy: "manifests",
  },
  {
    name: "permissions by the name of the kind",
    operator: "database",
    file: "controller.ts",
    right: "resources=secrets,verbs=",
    wrong: "resources=Secret,verbs=",
    caughtBy: "manifests",
  },
];
