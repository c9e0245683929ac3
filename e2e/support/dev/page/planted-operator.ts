/** The reconciler's place in the scaffolded file for what a user adds. */
const place = "    // Add your logic here:";

/** Mistakes that an object's name brings about; each is to be found from the page alone. */
const mistakes = `    const { namespace, name } = mysql.metadata;
    if (name === "fought") {
      const settings = { metadata: { namespace, name: "settings" }, data: { size: "1" } };
      await this.#client.apply(ConfigMap, settings, { owner: mysql });
    }
    if (name === "hot") {
      const beat = { metadata: { namespace, name: "beat" }, data: { at: String(this.#clock.now()) } };
      await this.#client.apply(ConfigMap, beat, { owner: mysql });
    }
    if (name === "refused") await this.#client.create(Secret, { metadata: { namespace, name: "password" } });
    if (name === "busy") {
      const begun = process.cpuUsage();
      for (let used = 0; used < 500_000; ) {
        const { user, system } = process.cpuUsage(begun);
        used = user + system;
      }
    }
    if (name === "slow" && !mysql.metadata.annotations?.seen)
      await this.#client.patch(MySQL, mysql, { merge: { metadata: { annotations: { seen: "yes" } } } });

`;

/** A scaffolded controller with mistakes in it. */
export function plantMistakes(controller: string): string {
  return controller
    .replace(place, () => `${mistakes}${place}`)
    .replace(
      'from "@tsbuilder/runtime";',
      '$&\nimport { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";',
    )
    .replace(
      "// +kubebuilder:rbac:groups=events",
      '// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch\n$&',
    )
    .replace('.named("mysql")', '.owns(ConfigMap).named("mysql")');
}

/** Lines of a reconciler that fail, each for the object of its name. */
export const failingLines = {
  broken: `(mysql.spec as unknown as { shards: { count: number } }).shards.count.toFixed();`,
  refused: `await this.#client.create(Secret, { metadata: { namespace, name: "password" } });`,
  invalid: `await this.#client.create(ConfigMap, { metadata: { namespace, name: "Not_Valid" } });`,
  offline: `await fetch("http://127.0.0.1:9/quota");`,
  "given-up": `throw new TerminalError("the license of the database has expired");`,
} as const;

/** A scaffolded controller with one of the failing lines for each of their names. */
export function plantFailures(controller: string): string {
  const lines = Object.entries(failingLines).map(
    ([name, line]) => `    if (name === "${name}")\n      ${line}\n`,
  );
  return controller
    .replace(place, () => `    const { namespace, name } = mysql.metadata;\n${lines.join("")}${place}`)
    .replace(
      'from "@tsbuilder/runtime";',
      '$&\nimport { TerminalError } from "@tsbuilder/runtime";\nimport { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";',
    )
    .replace(
      "// +kubebuilder:rbac:groups=events",
      '// +kubebuilder:rbac:groups="",resources=configmaps,verbs=create\n$&',
    );
}

/** A scaffolded defaulter that takes its time, and sets a default. */
export function slowDown(defaulter: string): string {
  return defaulter
    .replace(/^ {2}default\(/mu, "  async default(")
    .replace(/\): void \{/u, "): Promise<void> {")
    .replace(
      /^ {4}log\.debug/mu,
      () => `    if (mysql.metadata.name === "slow") {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      mysql.spec.foo ??= "defaulted";
    }
    log.debug`,
    );
}

/** A scaffolded controller that does something with an object once that is an hour old. */
export function waitForAnHour(controller: string): string {
  const wait = `    const age = Date.now() - Date.parse(mysql.metadata.creationTimestamp ?? "");
    if (age < 3_600_000) return { requeueAfter: "1h" };
    if (mysql.metadata.annotations?.["waited"] === undefined) {
      await this.#client.patch(MySQL, mysql, { merge: { metadata: { annotations: { waited: "an hour" } } } });
      return;
    }

`;
  return controller.replace(place, () => `${wait}${place}`);
}
