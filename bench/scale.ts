/**
 * A simulation of the hosted service at 100,000 projects: how long a question waits for its snapshots, and what the git
 * hosts and the shared store deliver meanwhile. docs/development/scale.md explains the inputs. The random numbers have
 * a seed.
 */
const inputs = {
  projects: 100_000,
  resourcesPerProject: 8,
  /** The share of a project's resources that are private; the others are public ones, chosen by Zipf's law. */
  privateShare: 0.25,
  publicResources: 150_000,
  /** Megabytes of text; log-normal. */
  medianMb: 6,
  meanMb: 21,
  questionsPerSecond: 30,
  questions: 600_000,
  /** A question is about one to this many resources. */
  resourcesAsked: 3,
  /** With groups: this share of the questions is about a group, which has all resources of the project. */
  groupShare: 0.1,
  answerSeconds: 30,
  /** A snapshot with its index, of the text. */
  onDisk: 1.25,
  packed: 0.35,
  cloneSeconds: 1.5,
  cloneMbPerSecond: 10,
  indexMbPerSecond: 10,
  storeSeconds: 0.05,
  storeMbPerSecond: 100,
  /** A node that has more than this many times the mean of running questions is passed over. */
  loadBound: 1.25,
};

interface Setup {
  nodes: number;
  cacheGb: number;
  routing: "any node" | "rendezvous";
  isShared: boolean;
  /** Private resources, which are those with rights, are not in the shared store. */
  hasRights?: boolean;
  hasGroups?: boolean;
}

const setups: Setup[] = [
  { nodes: 16, cacheGb: 200, routing: "any node", isShared: false },
  { nodes: 16, cacheGb: 200, routing: "rendezvous", isShared: false },
  { nodes: 16, cacheGb: 200, routing: "any node", isShared: true },
  { nodes: 16, cacheGb: 200, routing: "rendezvous", isShared: true },
  { nodes: 4, cacheGb: 200, routing: "any node", isShared: true },
  { nodes: 4, cacheGb: 200, routing: "rendezvous", isShared: true },
  { nodes: 16, cacheGb: 500, routing: "rendezvous", isShared: true },
  { nodes: 16, cacheGb: 200, routing: "rendezvous", isShared: true, hasRights: true },
  { nodes: 16, cacheGb: 200, routing: "rendezvous", isShared: true, hasGroups: true },
  { nodes: 16, cacheGb: 200, routing: "rendezvous", isShared: true, hasRights: true, hasGroups: true },
  { nodes: 16, cacheGb: 500, routing: "rendezvous", isShared: true, hasRights: true, hasGroups: true },
];

const world = createWorld();
console.log(
  "| nodes × cache | routing | shared store | with | found on the node | wait p50 / p90 / p99 | git hosts | store | cores that index | fullest node |",
);
console.log("|---|---|---|---|---|---|---|---|---|---|");
for (const setup of setups) console.log(rowOf(setup, simulate(setup)));

interface World {
  /** The size of each resource, in megabytes of text. */
  sizes: Float64Array;
  /** The resources of each project. */
  projects: Uint32Array[];
}

function createWorld(): World {
  const { projects, resourcesPerProject, privateShare, publicResources, medianMb, meanMb } = inputs;
  const random = createRandom(1);
  const privatePerProject = Math.round(resourcesPerProject * privateShare);
  const sigma = Math.sqrt(2 * Math.log(meanMb / medianMb));
  const sizes = Float64Array.from({ length: publicResources + projects * privatePerProject }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return medianMb * Math.exp(sigma * normal);
  });
  const harmonic = new Float64Array(publicResources);
  for (let rank = 0, sum = 0; rank < publicResources; rank++) harmonic[rank] = sum += 1 / (rank + 1);
  const total = harmonic.at(-1) ?? 1;
  const byZipf = () => lowerBound(harmonic, random() * total);
  return {
    sizes,
    projects: Array.from({ length: projects }, (_, project) =>
      Uint32Array.from({ length: resourcesPerProject }, (_, index) =>
        index < privatePerProject ? publicResources + project * privatePerProject + index : byZipf(),
      ),
    ),
  };
}

interface Outcome {
  hits: number;
  asked: number;
  /** Waiting times in seconds, one for each question. */
  waits: number[];
  clonedMb: number;
  storedMb: number;
  seconds: number;
  /** Running questions: the fullest node over the mean. */
  fullest: number;
}

/** The first half of the questions fills the caches and is not counted. */
function simulate({ nodes, cacheGb, routing, isShared, hasRights = false, hasGroups = false }: Setup): Outcome {
  const random = createRandom(2);
  const caches = Array.from({ length: nodes }, () => createCache(cacheGb * 1000));
  const running = new Int32Array(nodes);
  const ends: { at: number; node: number }[] = [];
  let ended = 0;
  const outcome: Outcome = { hits: 0, asked: 0, waits: [], clonedMb: 0, storedMb: 0, seconds: 0, fullest: 0 };
  const half = inputs.questions / 2;
  let loads = 0;
  for (let number = 0; number < inputs.questions; number++) {
    const now = number / inputs.questionsPerSecond;
    for (let end = ends[ended]; end !== undefined && end.at <= now; end = ends[++ended]) change(running, end.node, -1);
    const project = world.projects[Math.floor(random() * world.projects.length)] ?? new Uint32Array();
    const count = 1 + Math.floor(random() * inputs.resourcesAsked);
    const some = Array.from({ length: count }, () => project[Math.floor(random() * project.length)] ?? 0);
    const asked = [...new Set(hasGroups && random() < inputs.groupShare ? project : some)];
    const node = routing === "any node" ? Math.floor(random() * nodes) : rendezvous(largestOf(asked), running);
    change(running, node, 1);
    ends.push({ at: now + inputs.answerSeconds, node });
    const isCounted = number >= half;
    // Missing snapshots are fetched together: the question waits for the slowest.
    let wait = 0;
    for (const resource of asked) {
      const size = world.sizes[resource] ?? 0;
      const isInStore = isShared && !(hasRights && resource >= inputs.publicResources);
      const isHit = caches[node]?.use(resource, size * inputs.onDisk) ?? false;
      if (!isHit) wait = Math.max(wait, isInStore ? storeSeconds(size) : cloneSeconds(size));
      if (!isCounted) continue;
      outcome.asked++;
      if (isHit) outcome.hits++;
      else if (isInStore) outcome.storedMb += size * inputs.packed;
      else outcome.clonedMb += size;
    }
    if (!isCounted) continue;
    outcome.waits.push(wait);
    loads += (Math.max(...running) / (ends.length - ended)) * nodes;
  }
  outcome.seconds = half / inputs.questionsPerSecond;
  outcome.fullest = loads / half;
  return outcome;
}

function cloneSeconds(size: number): number {
  return inputs.cloneSeconds + size / inputs.cloneMbPerSecond + size / inputs.indexMbPerSecond;
}

function storeSeconds(size: number): number {
  return inputs.storeSeconds + (size * inputs.packed) / inputs.storeMbPerSecond;
}

function largestOf(resources: readonly number[]): number {
  const sizeOf = (resource: number) => world.sizes[resource] ?? 0;
  return resources.reduce((largest, one) => (sizeOf(one) > sizeOf(largest) ? one : largest));
}

function change(counts: Int32Array, index: number, by: number): void {
  counts[index] = (counts[index] ?? 0) + by;
}

/** The node with the highest hash for the resource that is not too full. */
function rendezvous(resource: number, running: Int32Array): number {
  const bound = (inputs.loadBound * (running.reduce((sum, one) => sum + one, 0) + 1)) / running.length;
  const ranked = [...running.keys()].sort((a, b) => hash(resource, b) - hash(resource, a));
  return ranked.find((node) => (running[node] ?? 0) < bound) ?? ranked[0] ?? 0;
}

function hash(resource: number, node: number): number {
  let value = Math.imul(resource ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(node + 1, 0xc2b2ae35);
  value = Math.imul(value ^ (value >>> 15), 0x27d4eb2f);
  return (value ^ (value >>> 13)) >>> 0;
}

/** The least recently used leave first. Sizes are in megabytes. */
function createCache(limitMb: number) {
  const kept = new Map<number, number>();
  let usedMb = 0;
  return {
    /** Whether it was there; it is afterwards. */
    use(resource: number, mb: number): boolean {
      const isThere = kept.delete(resource);
      kept.set(resource, mb);
      if (isThere) return true;
      usedMb += mb;
      for (const [oldest, size] of kept) {
        if (usedMb <= limitMb) break;
        kept.delete(oldest);
        usedMb -= size;
      }
      return false;
    },
  };
}

function rowOf({ nodes, cacheGb, routing, isShared, hasRights, hasGroups }: Setup, outcome: Outcome): string {
  const { hits, asked, waits, clonedMb, storedMb, seconds, fullest } = outcome;
  const sorted = waits.toSorted((a, b) => a - b);
  const wait = (share: number) => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2);
  const cells = [
    `${nodes} × ${cacheGb} GB`,
    routing,
    isShared ? "yes" : "no",
    [...(hasRights ? ["rights"] : []), ...(hasGroups ? ["groups"] : [])].join(", "),
    `${((100 * hits) / asked).toFixed(0)} %`,
    `${wait(0.5)} / ${wait(0.9)} / ${wait(0.99)} s`,
    `${(clonedMb / seconds).toFixed(0)} MB/s`,
    `${(storedMb / seconds).toFixed(0)} MB/s`,
    (clonedMb / seconds / inputs.indexMbPerSecond).toFixed(0),
    `${fullest.toFixed(2)} × mean`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Mulberry32: numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The index of the first value that is at least `wanted`. */
function lowerBound(values: Float64Array, wanted: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}
