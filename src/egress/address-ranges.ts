/**
 * The tables behind the address policy: addresses that are not public unicast, and ports of systems that are not
 * receivers. Source: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890 and its updates), the
 * multicast and future-use blocks, and the fixed addresses of cloud providers. Every registered block is refused, even
 * where the registry calls it reachable: no receiver lives there.
 */

/** A block, and its description as the end of the sentence "192.168.1.1 is …". */
export interface AddressRange {
  readonly cidr: string;
  readonly is: string;
}

/** Narrow blocks come before wide ones, so that the most exact description wins. */
export const REFUSED_IPV4: readonly AddressRange[] = [
  { cidr: "0.0.0.0/32", is: "the unspecified address" },
  { cidr: "0.0.0.0/8", is: "an address of this network only" },
  { cidr: "10.0.0.0/8", is: "a private address" },
  { cidr: "100.64.0.0/10", is: "an address inside a provider's network" },
  { cidr: "127.0.0.0/8", is: "a loopback address" },
  { cidr: "168.63.129.16/32", is: "a cloud platform's internal address" },
  { cidr: "169.254.169.254/32", is: "a cloud metadata address" },
  { cidr: "169.254.0.0/16", is: "a link-local address" },
  { cidr: "172.16.0.0/12", is: "a private address" },
  { cidr: "192.0.0.0/24", is: "an address reserved for protocols" },
  { cidr: "192.0.2.0/24", is: "an address for documentation" },
  { cidr: "192.31.196.0/24", is: "an address reserved for reverse look-ups" },
  { cidr: "192.52.193.0/24", is: "an address reserved for multicast relays" },
  { cidr: "192.88.99.0/24", is: "an address reserved for IPv6 relays" },
  { cidr: "192.168.0.0/16", is: "a private address" },
  { cidr: "192.175.48.0/24", is: "an address reserved for reverse look-ups" },
  { cidr: "198.18.0.0/15", is: "an address for benchmarks" },
  { cidr: "198.51.100.0/24", is: "an address for documentation" },
  { cidr: "203.0.113.0/24", is: "an address for documentation" },
  { cidr: "224.0.0.0/4", is: "a multicast address" },
  { cidr: "255.255.255.255/32", is: "the broadcast address" },
  { cidr: "240.0.0.0/4", is: "a reserved address" },
];

/** Today's global unicast space. Every IPv6 address outside is refused; the tables only describe it. */
export const GLOBAL_IPV6 = "2000::/3";

/**
 * The blocks that IANA has allocated of it: "IPv6 Global Unicast Address Assignments", as of 2024-11-01, when 2410::/12
 * was added. (Its version of 2019-11-06 was compared line by line, the last addition with three copies of the list.)
 * The other blocks are unassigned, so that an address there can only be a private use of it. IANA adds a block every
 * few years: an operator who is ahead of this table opens it with `BELLWIRE_EGRESS_ALLOW`.
 */
export const ALLOCATED_IPV6: readonly string[] = [
  "2001::/23",
  "2001:200::/23",
  "2001:400::/23",
  "2001:600::/23",
  "2001:800::/22",
  "2001:c00::/23",
  "2001:e00::/23",
  "2001:1200::/23",
  "2001:1400::/22",
  "2001:1800::/23",
  "2001:1a00::/23",
  "2001:1c00::/22",
  "2001:2000::/19",
  "2001:4000::/23",
  "2001:4200::/23",
  "2001:4400::/23",
  "2001:4600::/23",
  "2001:4800::/23",
  "2001:4a00::/23",
  "2001:4c00::/23",
  "2001:5000::/20",
  "2001:8000::/19",
  "2001:a000::/20",
  "2001:b000::/20",
  "2002::/16",
  "2003::/18",
  "2400::/12",
  "2410::/12",
  "2600::/12",
  "2610::/23",
  "2620::/23",
  "2630::/12",
  "2800::/12",
  "2a00::/12",
  "2a10::/12",
  "2c00::/12",
];

/** Inside and outside of `GLOBAL_IPV6`. An address outside that no entry names is "not a public address". */
export const REFUSED_IPV6: readonly AddressRange[] = [
  { cidr: "::/128", is: "the unspecified address" },
  { cidr: "::1/128", is: "a loopback address" },
  { cidr: "::ffff:0:0/96", is: "an IPv4 address written as IPv6" },
  { cidr: "::ffff:0:0:0/96", is: "an IPv4 address translated to IPv6" },
  { cidr: "::/96", is: "an IPv4 address written as IPv6" },
  { cidr: "64:ff9b::/96", is: "an IPv4 address behind NAT64" },
  { cidr: "64:ff9b:1::/48", is: "an IPv4 address behind NAT64" },
  { cidr: "100::/64", is: "an address that discards everything" },
  { cidr: "100:0:0:1::/64", is: "an address reserved for protocols" },
  { cidr: "2001::/32", is: "an IPv4 address tunnelled through IPv6 (Teredo)" },
  { cidr: "2001:db8::/32", is: "an address for documentation" },
  { cidr: "2001::/23", is: "an address reserved for protocols" },
  { cidr: "2002::/16", is: "an IPv4 address tunnelled through IPv6 (6to4)" },
  { cidr: "2620:4f:8000::/48", is: "an address reserved for reverse look-ups" },
  { cidr: "3fff::/20", is: "an address for documentation" },
  { cidr: "5f00::/16", is: "an address for routers" },
  { cidr: "fc00::/7", is: "a private address" },
  { cidr: "fe80::/10", is: "a link-local address" },
  { cidr: "fec0::/10", is: "a private address" },
  { cidr: "ff00::/8", is: "a multicast address" },
];

/** The only ports below 1024 that receivers are called on. */
export const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
export const SYSTEM_PORT_MAX = 1_023;

/**
 * Ports at and above 1024 behind which a POST can do harm: data stores, queues, container and cluster control. Each
 * understands enough of an HTTP request, or answers enough to it, to be worth attacking through a webhook.
 */
export const DATA_STORE_PORTS: ReadonlyMap<number, string> = new Map([
  [1433, "Microsoft SQL Server"],
  [1521, "Oracle Database"],
  [2049, "NFS"],
  [2181, "ZooKeeper"],
  [2375, "Docker"],
  [2376, "Docker"],
  [2379, "etcd"],
  [2380, "etcd"],
  [3306, "MySQL"],
  [4369, "Erlang's port mapper"],
  [5432, "PostgreSQL"],
  [5439, "Redshift"],
  [5672, "AMQP"],
  [5984, "CouchDB"],
  [6379, "Redis"],
  [6380, "Redis"],
  [6432, "PgBouncer"],
  [7687, "Neo4j"],
  [9042, "Cassandra"],
  [9092, "Kafka"],
  [9200, "Elasticsearch"],
  [9300, "Elasticsearch"],
  [10250, "Kubernetes"],
  [11211, "Memcached"],
  [26257, "CockroachDB"],
  [27017, "MongoDB"],
  [27018, "MongoDB"],
  [27019, "MongoDB"],
  [28015, "RethinkDB"],
  [50000, "Db2"],
]);
