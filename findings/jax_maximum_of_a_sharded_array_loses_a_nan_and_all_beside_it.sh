#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: jax 0.10.2 with NumPy 2.4.6, on CPUs: four devices in one process.
# Expected: jnp.max of an array is NaN if a number in it is NaN, whether the array is on one device or sharded
# over four: sharding changes where things are computed, not what. So a residual that is NaN is noticed.
# Seen: sharded, the devices whose part has a NaN do not count: of 0 1 2 3 4 5 6 NaN on four devices the
# maximum is 5, as 6 is beside the NaN. If all parts have one, the maximum is -inf and the minimum inf. So it
# is with pmax of shard_map. Sums, argmax and isnan tell the NaN.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(np.array(jax.devices()), ("x",))
parts = NamedSharding(mesh, PartitionSpec("x"))
for values in [0, 1, 2, 3, 4, 5, 6, np.nan], [np.nan, 1, np.nan, 3, np.nan, 5, np.nan, 7]:
    one = jnp.array(values, jnp.float32)
    four = jax.device_put(one, parts)
    print(*values)
    for name, of in ("one device", one), ("four devices", four):
        print(f"  {name}: max {jnp.max(of)}, min {jnp.min(of)}, sum {jnp.sum(of)}, argmax {jnp.argmax(of)}")
    most = jax.shard_map(
        lambda part: jax.lax.pmax(jnp.max(part), "x"),
        mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec(),
    )
    print(f"  pmax {most(four)}")
END
export JAX_PLATFORMS=cpu XLA_FLAGS=--xla_force_host_platform_device_count=4
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
0 1 2 3 4 5 6 nan
  one device: max nan, min nan, sum nan, argmax 7
  four devices: max 5.0, min 0.0, sum nan, argmax 7
  pmax 5.0
nan 1 nan 3 nan 5 nan 7
  one device: max nan, min nan, sum nan, argmax 0
  four devices: max -inf, min inf, sum nan, argmax 0
  pmax -inf
END
cmp -s expected seen
