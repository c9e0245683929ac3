import type { Clock } from "@tsbuilder/runtime";
import type { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { configSecretFor, serverFiles } from "../../golden/maria-operator/src/controller/maria_config.ts";
import type { Observed } from "../../golden/maria-operator/src/controller/maria_observed.ts";
import {
  ACCEPTED,
  type Credentials,
  type Passwords,
  validPasswords,
} from "../../golden/maria-operator/src/controller/maria_passwords.ts";
import { acceptedBy } from "../../golden/maria-operator/src/controller/maria_rotation.ts";
import { hashOf } from "../../golden/maria-operator/src/controller/maria_secrets.ts";
import type { DatabaseServer, ScriptResult } from "./database-servers.ts";
import { filesIn, mariaOf } from "./maria-files.ts";

/** Plays the operator where passwords are concerned, by its own functions, and the kubelet, which mounts its files. */
export class PasswordKeeper {
  readonly #servers: readonly DatabaseServer[];
  readonly #clock: Clock;
  #config: Secret;
  #rotation: Job | undefined;

  /** The servers run with these passwords. */
  constructor(servers: readonly DatabaseServer[], clock: Clock, current: Credentials) {
    this.#servers = servers;
    this.#clock = clock;
    const files = serverFiles(mariaOf({}), { current, next: {}, former: {} });
    const accepted = hashOf(files["passwords.sql"]);
    this.#config = configSecretFor(mariaOf({}), files, { primary: 0, accepted }) as Secret;
  }

  /** Reconciles until nothing changes: which passwords are valid, and the files for the servers. */
  reconcile(given: Partial<Credentials> = {}, annotations: Record<string, string> = {}): Passwords {
    const before = JSON.stringify(this.#config);
    const maria = mariaOf({}, annotations);
    const observed = { config: this.#config, rotation: this.#rotation, pods: [{}] } as unknown as Observed;
    const passwords = validPasswords(maria, observed, given, this.#clock);
    const files = serverFiles(maria, passwords);
    const accepted = acceptedBy(observed, files["passwords.sql"]);
    this.#config = configSecretFor(maria, files, { ...passwords, primary: 0, accepted }) as Secret;
    const isAtRest = JSON.stringify(this.#config) === before;
    return isAtRest ? passwords : this.reconcile(given, annotations);
  }

  /** The files reach a server, some time later than the operator wrote them. */
  mount(server: DatabaseServer): void {
    for (const [name, content] of Object.entries(filesIn(this.#config))) {
      if (!name.endsWith(".sh")) server.configure(name, content);
    }
  }

  /** Runs the Job, if there is one to run. Its pod is new, so it has the present files. */
  runJob(server: DatabaseServer): ScriptResult | undefined {
    const wanted = hashOf(filesIn(this.#config)["passwords.sql"] ?? "");
    const { [ACCEPTED]: accepted } = this.#config.metadata.annotations ?? {};
    if (accepted === wanted) return undefined;
    const hosts = this.#servers.map(({ port }) => `127.0.0.1:${port}`).join(" ");
    const result = server.script("passwords.sh", { HOSTS: hosts, PASSWORDS: wanted });
    const type = result.code === 0 ? "Complete" : "Failed";
    this.#rotation = {
      metadata: { annotations: { [ACCEPTED]: wanted } },
      status: { conditions: [{ type, status: "True" }] },
    } as unknown as Job;
    return result;
  }
}
