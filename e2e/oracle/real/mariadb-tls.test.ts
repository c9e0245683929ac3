import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CertificateWithKey, createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashOf } from "../../golden/maria-operator/src/controller/maria_secrets.ts";
import { type TlsFiles, whatIsWrong } from "../../golden/maria-operator/src/controller/maria_tls.ts";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { root } from "./maria-cluster.ts";
import { mariaFiles } from "./maria-files.ts";

// Certificates of real servers, which get their files as from the operator and the kubelet.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: TLS of a real MariaDB: mariadb-server is not installed");

describe.skipIf(missing)("TLS of servers", () => {
  const folder = databaseFolder();
  const files = mariaFiles();
  const [first, second] = [createCA({ commonName: "first" }), createCA({ commonName: "second" })];
  let primary: DatabaseServer;
  let replica: DatabaseServer;

  beforeAll(async () => {
    primary = await databaseServer(folder.path, 0, files);
    replica = await databaseServer(folder.path, 1, files, primary.port);
    await startServers(primary, replica);
  });

  afterAll(async () => {
    await replica?.stop();
    await primary?.stop();
    folder.remove();
  });

  test("is turned on by a rolling restart, during which replicas follow again as soon as the primary has a certificate", async () => {
    mount(first, primary, replica);
    for (const server of [replica, primary]) {
      server.configure("my.cnf", mariaFiles({ tls: { secret: "t", required: true } })["my.cnf"]);
      await server.stop();
      expect(server.script("init.sh").code).toBe(0);
      server.start();
      await server.ready();
    }
    tell(" tls");
    expect(bare(primary).output).toMatch(/ERROR (1045|3159)/);
    expect(ask(primary, "CREATE TABLE shop.t (id INT PRIMARY KEY)", first).code).toBe(0);
    await eventually(() => expect(ask(replica, "SELECT COUNT(*) FROM shop.t", first).output).toBe("0"));
    expect(ask(replica, "SHOW SLAVE STATUS\\G", first).output).toMatch(/Master_SSL_Allowed: Yes/);
    await replica.ready();
    const isEncrypted = "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS";
    expect(ask(primary, `${isEncrypted} WHERE VARIABLE_NAME='Ssl_version'`, first).output).toMatch(/^TLSv1/);
  });

  test("is what a copy, a backup, a rotation, and a switchover and back connect with", async () => {
    await replica.stop();
    replica.empty();
    await startAgain(replica);
    expect(ask(replica, "SELECT COUNT(*) FROM shop.t", first).output).toBe("0");
    const backups = join(folder.path, "backups");
    mkdirSync(backups);
    chmodSync(backups, 0o777);
    const source = { BACKUP_DIR: backups, BACKUP_NAME: "db", BACKUP_HOST: "127.0.0.1", DATABASE: "shop" };
    expect(replica.script("backup.sh", source)).toMatchObject({ code: 0, output: /wrote/ });
    const hosts = [primary, replica].map(({ port }) => `127.0.0.1:${port}`).join(" ");
    const wanted = hashOf(files["passwords.sql"] ?? "");
    expect(primary.script("passwords.sh", { HOSTS: hosts, PASSWORDS: wanted })).toEqual({
      code: 0,
      output: "",
    });
    for (const [ordinal, target, former] of [
      [1, replica, primary],
      [0, primary, replica],
    ] as const) {
      const to = { TARGET_HOST: "127.0.0.1", TARGET_PORT: String(target.port) };
      expect(former.script("switch.sh", to)).toMatchObject({ code: 0 });
      tell(" tls", ordinal, target);
      await former.ended();
      former.start();
      await former.ready();
      await target.ready();
      await eventually(() => expect(io(former)).toBe("Yes"));
    }
  });

  test("takes a renewed certificate, also of another authority, without a restart", async () => {
    const since = () => ask(primary, "SELECT CONNECTION_ID() > 0, @@pid_file", first);
    expect(since().code).toBe(0);
    mount(second, primary, replica);
    for (const server of [primary, replica]) {
      await eventually(() => expect(ask(server, "SELECT 1", second)).toEqual({ code: 0, output: "1" }));
      expect(ask(server, "SELECT 1", first).code).toBe(1);
      expect(server.isRunning).toBe(true);
    }
    await reconnect();
    await eventually(() => expect(io(replica)).toBe("Yes"));
    await replica.ready();
  });

  test("goes on with the former certificate while the files don't belong together", async () => {
    const { key } = issueCertificate(first, subject);
    const keep = mount(second, primary);
    primary.configure("tls.key", key);
    primary.configure("tls.crt", issueCertificate(second, subject).cert);
    await eventually(() => expect(primary.log()).toMatch(/private key|key values mismatch|SSL/i));
    expect(ask(primary, "SELECT 1", second)).toEqual({ code: 0, output: "1" });
    for (const [name, content] of Object.entries(keep)) primary.configure(name, content);
  });

  test("lets no replica follow, and no copy be made from, a server with another authority's certificate", async () => {
    mount(first, primary);
    await eventually(() => expect(ask(primary, "SELECT 1", first).code).toBe(0));
    await reconnect();
    await eventually(() => expect(field(replica, "Last_IO_Error")).toMatch(/certificate|SSL|TLS/i));
    expect(io(replica)).toBe("Connecting");
    await replica.stop();
    replica.empty();
    expect(replica.script("init.sh")).toMatchObject({ code: 1, output: /certificate/i });
    mount(second, primary);
    await eventually(() => expect(ask(primary, "SELECT 1", second).code).toBe(0));
    await startAgain(replica);
    expect(io(replica)).toBe("Yes");
  });

  test("is left as it is for a certificate that servers or their clients would refuse, and the reason is said", () => {
    const hosts = ["db-0.db-headless.default.svc", "db-1.db-headless.default.svc"];
    const make = (dnsNames: string[], notAfter?: Date) => {
      const { cert, key } = issueCertificate(first, {
        dnsNames,
        usages: ["server"],
        ...(notAfter ? { notBefore: new Date(0), notAfter } : {}),
      });
      return { "tls.crt": cert, "tls.key": key, "ca.crt": first.cert };
    };
    const good = make(["*.db-headless.default.svc"]);
    const whatIsWrongNow = (files: TlsFiles) => whatIsWrong(files, hosts, Date.now());
    expect(whatIsWrongNow(good)).toBeUndefined();
    expect(whatIsWrongNow(make([hosts[0]!]))).toBe(
      "has a certificate that is not valid for db-1.db-headless.default.svc",
    );
    expect(whatIsWrongNow(make(hosts, new Date(86_400_000)))).toMatch(/^has expired on Jan/);
    expect(whatIsWrongNow({ ...good, "ca.crt": "" })).toBe("has no key ca.crt");
    expect(whatIsWrongNow({ ...good, "tls.crt": "x" })).toMatch(/^can't be read: /);
    expect(whatIsWrongNow({ ...good, "tls.key": make(hosts)["tls.key"] })).toBe(
      "has a key that is not the certificate's",
    );
  });

  /** The Secret's files reach servers. */
  function mount(from: CertificateWithKey, ...servers: DatabaseServer[]): Record<string, string> {
    const { cert, key } = issueCertificate(from, subject);
    const mounted = { "tls.crt": cert, "tls.key": key, "ca.crt": from.cert };
    for (const server of servers) {
      for (const [name, content] of Object.entries(mounted)) server.configure(name, content);
    }
    return mounted;
  }

  /** The operator's word reaches servers. */
  function tell(tls: string, ordinal = 0, to = primary): void {
    for (const server of [primary, replica]) {
      server.configure("primary", `${ordinal} 127.0.0.1 ${to.port}${tls}`);
    }
  }

  async function startAgain(server: DatabaseServer): Promise<void> {
    expect(server.script("init.sh")).toMatchObject({ code: 0 });
    server.start();
    await server.ready();
    await eventually(() => expect(io(server)).toBe("Yes"));
  }

  /** Ends the replica's connection. */
  async function reconnect(): Promise<void> {
    const [ca] = [first, second].filter((authority) => ask(primary, "SELECT 1", authority).code === 0);
    const ids = "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'operator_replication'";
    const id = await eventually(() => ask(primary, ids, ca!).output || false);
    expect(ask(primary, `KILL ${id}`, ca!).code).toBe(0);
  }

  function io(server: DatabaseServer): string | undefined {
    return field(server, "Slave_IO_Running");
  }

  function field(server: DatabaseServer, name: string): string | undefined {
    const [ca] = [first, second].filter((authority) => ask(server, "SELECT 1", authority).code === 0);
    return new RegExp(`${name}: (.*)`).exec(ask(server, "SHOW SLAVE STATUS\\G", ca!).output)?.[1];
  }

  /** A client without TLS. */
  function bare({ port }: DatabaseServer) {
    const args = ["--no-defaults", "--skip-ssl", "-h127.0.0.1", `-P${port}`, `-u${root.name}`];
    const { stdout, stderr } = spawnSync("mariadb", [...args, `-p${root.password}`, "-e", "SELECT 1"], {
      encoding: "utf8",
    });
    return { output: stdout + stderr };
  }

  /** A client that trusts an authority. */
  function ask({ port }: DatabaseServer, statement: string, trusted: CertificateWithKey) {
    const file = join(folder.path, "trusted.crt");
    writeFileSync(file, trusted.cert);
    const args = ["--no-defaults", "-h127.0.0.1", `-P${port}`, `-u${root.name}`, `-p${root.password}`];
    const tls = [`--ssl-ca=${file}`, "--ssl-verify-server-cert"];
    const { status, stdout, stderr } = spawnSync(
      "mariadb",
      [...args, ...tls, ...(statement.endsWith("G") ? [] : ["-N"]), "-e", statement],
      {
        encoding: "utf8",
      },
    );
    return { code: status, output: (stdout + stderr).trim() };
  }
});

const subject = { commonName: "db", ipAddresses: ["127.0.0.1"], usages: ["server"] as const };
