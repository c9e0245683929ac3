/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type Quantity,
  type Time,
} from "@tsbuilder/runtime";
import type { LocalObjectReference, ResourceRequirements } from "@tsbuilder/runtime/k8s/core/v1";
import { groupVersion } from "./groupversion_info.ts";

/**
 * MariaSpec is what the user asks for.
 * A rule on a field can't see that the field was taken out, so what must not change is said here.
 * +kubebuilder:validation:XValidation:rule="!(has(self.password) && has(self.passwordSecretRef))",message="password and passwordSecretRef exclude each other"
 * +kubebuilder:validation:XValidation:rule="!has(oldSelf.database) || (has(self.database) && self.database == oldSelf.database)",message="database is immutable once set"
 * +kubebuilder:validation:XValidation:rule="has(self.restoreFrom) == has(oldSelf.restoreFrom) && (!has(self.restoreFrom) || self.restoreFrom == oldSelf.restoreFrom)",message="restoreFrom is set when the object is created, or never"
 */
export interface MariaSpec {
  /**
   * Image of the server. What this operator's tests run is MariaDB 10.11.
   * +kubebuilder:default="mariadb:10.11"
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=512
   */
  image?: string;
  /** +kubebuilder:default=IfNotPresent */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /**
   * Secrets to pull the image with.
   * +kubebuilder:validation:MaxItems=16
   */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * User of the application. With root, only root's password is set.
   * +kubebuilder:default=app
   * +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]{0,31}$`
   * +kubebuilder:validation:MaxLength=32
   * +kubebuilder:validation:XValidation:rule="!self.startsWith('operator_') && !(self in ['mysql', 'mariadb.sys', 'mysql.sys'])",message="this name belongs to the server or the operator"
   * +kubebuilder:validation:XValidation:rule="self == oldSelf",message="username is immutable"
   */
  username?: string;
  /**
   * Password of the user, readable by everyone who may read this object: prefer passwordSecretRef.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=128
   * +kubebuilder:validation:Pattern=`^[^\r\n]*$`
   */
  password?: string;
  /** Secret that holds the user's password. Without one, a password is made. */
  passwordSecretRef?: SecretKeyRef;
  /** Secret that holds root's password. Without one, a password is made. */
  rootPasswordSecretRef?: SecretKeyRef;
  /**
   * Database to make, which the user owns, and the one that is backed up. Without one it is all but the server's own.
   * +kubebuilder:validation:Pattern=`^[A-Za-z0-9_]{1,64}$`
   * +kubebuilder:validation:MaxLength=64
   * +kubebuilder:validation:XValidation:rule="!(self.lowerAscii() in ['mysql', 'sys', 'information_schema', 'performance_schema'])",message="this database belongs to the server"
   */
  database?: string;
  /**
   * Number of servers: one primary, the rest replicas. 0 stops them and keeps the data.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=0
   * +kubebuilder:validation:Maximum=5
   */
  size?: int32;
  /** +kubebuilder:default={} */
  storage?: Storage;
  /** +kubebuilder:default={requests: {cpu: "100m", memory: "256Mi"}} */
  resources?: ResourceRequirements;
  /**
   * Settings for my.cnf. What replication and the operator stand on can't be set. Unless they are set here,
   * character_set_server is utf8mb4, sync_binlog 1, max_binlog_size 64M, and binlog_expire_logs_seconds three days.
   * +kubebuilder:validation:MaxProperties=64
   * +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[a-z][a-z0-9_-]{0,63}$'))",message="a setting's name is lower case: letters, digits, _ and -"
   * +kubebuilder:validation:XValidation:rule="!self.exists(name, name.replace('-', '_').startsWith('gtid_') || name.replace('-', '_') in ['server_id', 'datadir', 'socket', 'port', 'log_bin', 'read_only', 'super_read_only', 'init_file'])",message="the operator sets server_id, datadir, socket, port, log_bin, gtid_*, read_only, super_read_only and init_file"
   */
  config?: Record<string, ConfigValue>;
  /**
   * When to back up, as cron writes it; absent means never.
   * +kubebuilder:validation:MaxLength=128
   */
  // +kubebuilder:validation:Pattern=`^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|[0-9A-Za-z*/,?-]+( [0-9A-Za-z*/,?-]+){4})$`
  backupSchedule?: string;
  /**
   * Time zone of the schedule, such as Europe/Berlin.
   * +kubebuilder:validation:MaxLength=64
   */
  backupTimeZone?: string;
  /**
   * Where the volume of backups is mounted.
   * +kubebuilder:default="/backups"
   * +kubebuilder:validation:MaxLength=256
   * +kubebuilder:validation:Pattern=`^(/[^/:\r\n]+)+$`
   * +kubebuilder:validation:XValidation:rule="!self.contains('..') && !self.contains('/./')",message="backupPath is absolute, without . and .."
   * +kubebuilder:validation:XValidation:rule="['/var/lib/mysql', '/etc/mysql-operator', '/run/mysqld', '/tmp'].all(taken, self != taken && !self.startsWith(taken + '/'))",message="backupPath is outside of /var/lib/mysql, /etc/mysql-operator, /run/mysqld and /tmp"
   */
  backupPath?: string;
  /** +kubebuilder:default={} */
  backup?: Backup;
  /** A backup of another MySQL of this namespace to start from. Its databases keep their names. */
  restoreFrom?: RestoreFrom;
  /** +kubebuilder:default={} */
  service?: ServiceTemplate;
  /**
   * How far a replica may be behind and still be ready; 0 means no limit.
   * +kubebuilder:default=60
   * +kubebuilder:validation:Minimum=0
   */
  maxReplicaLagSeconds?: int32;
  /**
   * What happens to the servers' volumes and the passwords when this object is deleted. Backups have a policy of their own.
   * +kubebuilder:default=Retain
   */
  deletionPolicy?: "Retain" | "Delete";
  /** Leaves everything as it is while true. */
  paused?: boolean;
}

/** One value of a Secret. */
export interface SecretKeyRef {
  /**
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  name: string;
  /**
   * +kubebuilder:default=password
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  key?: string;
}

/**
 * One line of my.cnf.
 * +kubebuilder:validation:MaxLength=1024
 * +kubebuilder:validation:Pattern=`^[^\r\n]*$`
 */
export type ConfigValue = string;

/**
 * Storage is the volume of each server.
 * +kubebuilder:validation:XValidation:rule="has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",message="className is immutable"
 */
export interface Storage {
  /**
   * It holds the data and the binary logs of the last days. It can grow, never shrink.
   * +kubebuilder:default="1Gi"
   * +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="storage can't shrink"
   */
  size?: Quantity;
  /** +kubebuilder:validation:MaxLength=253 */
  className?: string;
}

/** Backup says what is kept of the backups, and where. */
export interface Backup {
  /**
   * How many backups are kept.
   * +kubebuilder:default=7
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=365
   */
  keep?: int32;
  /**
   * Size of the volume that backups are written to. It can grow, never shrink.
   * +kubebuilder:default="1Gi"
   */
  storageSize?: Quantity;
  /**
   * What happens to the volume of backups when this object is deleted with the deletionPolicy Delete.
   * +kubebuilder:default=Retain
   */
  deletionPolicy?: "Retain" | "Delete";
  /** Makes no backups while true. */
  suspend?: boolean;
}

/** RestoreFrom names a backup. */
export interface RestoreFrom {
  /**
   * Name of the MySQL whose backup it is.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=40
   */
  name: string;
  /**
   * File of the backup, or the newest.
   * +kubebuilder:default=latest
   * +kubebuilder:validation:Pattern=`^[A-Za-z0-9._-]+$`
   * +kubebuilder:validation:MaxLength=253
   */
  file?: string;
}

/** ServiceTemplate says how clients reach the primary. */
export interface ServiceTemplate {
  /** +kubebuilder:default=ClusterIP */
  type?: "ClusterIP" | "NodePort" | "LoadBalancer";
  /** +kubebuilder:validation:MaxProperties=32 */
  annotations?: Record<string, string>;
}

/** MariaStatus is what the controller observed. */
export interface MariaStatus {
  observedGeneration?: int64;
  /** Servers that run. */
  replicas?: int32;
  /** Servers that are ready. */
  readyReplicas?: int32;
  /** Servers that run what the spec says now. */
  updatedReplicas?: int32;
  /** Label selector of the servers' pods, for autoscalers. */
  selector?: string;
  /** Pod of the primary. */
  primary?: string;
  /** Where clients read and write. */
  endpoint?: string;
  /** Where clients read. */
  readEndpoint?: string;
  image?: string;
  storageSize?: Quantity;
  /** End of the newest backup that succeeded. */
  lastBackupTime?: Time;
  lastBackup?: LastBackup;
  conditions?: Condition[];
}

/** LastBackup is how the newest backup job ended. */
export interface LastBackup {
  job?: string;
  completionTime?: Time;
  result?: "Succeeded" | "Failed";
  /** Pod of the server that was dumped. */
  server?: string;
  /** How far that server was: MariaDB's GTID position. */
  gtid?: string;
}

/**
 * Maria is a MySQL or MariaDB server with asynchronous replicas and backups.
 * +kubebuilder:resource:singular=mysql,categories=all
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
 * +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`
 * +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
 * +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
 * +kubebuilder:printcolumn:name="Last-Backup",type=date,JSONPath=`.status.lastBackupTime`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 * +kubebuilder:printcolumn:name="Primary",type=string,JSONPath=`.status.primary`,priority=1
 * +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.status.image`,priority=1
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name is longer than 40 characters"
 * +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is that of a Service: letters, digits and dashes, a letter first"
 */
export interface Maria extends CustomResource<MariaSpec, MariaStatus> {}
export const Maria = defineKind<Maria>(groupVersion, { kind: "Maria", plural: "maria" });
