// What pprof-format (npm) reads in a profile, as JSON: its types, hosts, threads, and the sums of
// what is on top of stacks, by type.
const { Profile } = require("pprof-format");
const { gunzipSync } = require("zlib");
const { readFileSync } = require("fs");

const profile = Profile.decode(gunzipSync(readFileSync(process.argv[2])));
const text = (at) => profile.stringTable.strings[Number(at)];
const byId = (all) => new Map(all.map((one) => [Number(one.id), one]));
const functions = byId(profile.function), locations = byId(profile.location);
const types = profile.sampleType.map((type) => `${text(type.type)}/${text(type.unit)}`);
const tops = {}, labels = { host: new Set(), thread: new Set(), process: new Set() };
for (const sample of profile.sample) {
  const location = locations.get(Number(sample.locationId[0]));
  const top = location ? text(functions.get(Number(location.line[0].functionId)).name) : "";
  sample.value.forEach((value, at) => {
    const key = `${types[at]} ${top}`;
    if (Number(value) !== 0) tops[key] = (tops[key] ?? 0) + Number(value);
  });
  for (const label of sample.label) labels[text(label.key)].add(text(label.str));
}
const listed = Object.fromEntries(Object.entries(labels).map(([key, all]) => [key, [...all].sort()]));
const [period, began, length] = [profile.period, profile.timeNanos, profile.durationNanos].map(Number);
console.log(JSON.stringify({ types, tops, labels: listed, period, began, length }));
