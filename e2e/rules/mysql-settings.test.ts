import { createCRDValidator } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";

const crds = new URL("../golden/maria-operator/config/crd/bases", import.meta.url).pathname;
const validator = await createCRDValidator(crds);

const refused =
  "gtid_mode replica_parallel_workers replicate_do_db slave_skip_errors report_host binlog_do_db binlog_ignore_db skip_log_bin disable_log_bin enable_named_pipe loose_gtid_mode maximum_max_connections log_replica_updates log_slave_updates performance_schema super_read_only sync_binlog skip-log-bin Log_bin";
const taken = "max_connections innodb_buffer_pool_size binlog_row_image log_bin_trust_function_creators";

test.each(refused.split(" "))("a MySQL can't have the setting %s, on which its data depends", (setting) => {
  expect(errorsWith(setting)).not.toEqual([]);
});

test.each(taken.split(" "))("a MySQL may have the setting %s", (setting) => {
  expect(errorsWith(setting)).toEqual([]);
});

function errorsWith(setting: string): string[] {
  const metadata = { name: "db", namespace: "default" };
  const mysql = { apiVersion: "data.example.com/v1", kind: "Maria", metadata };
  return validator.validate({ ...mysql, ...specWith(setting) });
}

function specWith(setting: string) {
  return { spec: { settings: { [setting]: "1" } } };
}
