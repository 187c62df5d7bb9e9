"""What users would train with instead of wbb_mlp(): one peer, in one or two processes of one thread.

    mlp_peers.py PEER NETWORKS EPOCHS

trains NETWORKS (1 or 2) networks 784-128-64-10 at once on the 60,000 digits of MNIST, in the folder WBB_MNIST or
beside the checkout: ReLU, SGD at rate 0.1, batches of 128, float32, cross-entropy with an Exp(1) weight a row, rows
shuffled once an epoch. The first epoch also compiles and is not timed. Prints a header and a line, with tabs:
the median seconds per network and epoch, the share of its core that a process got meanwhile, and the accuracy
on the 10,000 test digits after all the epochs.
"""

import gzip
import os
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

SIZES = (784, 128, 64, 10)
BATCH = 128
RATE = 0.1
PATIENCE = 600  # seconds that one process waits for the other


def load(network):
    """The digits, and a network's weights, start and order of rows, the same for every peer."""
    import numpy as np

    beside = Path(__file__).resolve().parents[2] / "shared" / "data" / "mnist"
    folder = Path(os.environ.get("WBB_MNIST", beside))

    def read(name, header):
        with gzip.open(folder / f"{name}-ubyte.gz") as file:
            return np.frombuffer(file.read(), np.uint8, offset=header)

    def part(name):
        x = read(f"{name}-images-idx3", 16).reshape(-1, SIZES[0]).astype(np.float32) / 255
        return x, read(f"{name}-labels-idx1", 8).astype(np.int32)

    rng = np.random.default_rng(network)
    x, y = part("train")
    w = rng.exponential(size=len(y))
    start = []
    for rows, columns in zip(SIZES, SIZES[1:]):
        bound = np.sqrt(6 / (rows + columns))
        start.append(rng.uniform(-bound, bound, (rows, columns)).astype(np.float32))
        start.append(np.zeros(columns, np.float32))
    shuffle = lambda: rng.permutation(len(y)).astype(np.int32)
    return x, y, (w / w.mean()).astype(np.float32), start, shuffle, part("t10k")


# A peer trains for some epochs, calls tick() after each, and returns the scores of the test digits.


def tensorflow(digits, epochs, tick):
    import tensorflow as tf

    x, y, w, start, shuffle, test = digits
    x, y, w = map(tf.constant, (x, y, w))
    theta = [tf.Variable(value) for value in start]

    def scores(a):
        a = tf.nn.relu(a @ theta[0] + theta[1])
        a = tf.nn.relu(a @ theta[2] + theta[3])
        return a @ theta[4] + theta[5]

    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(y, rows), scores(tf.gather(x, rows)))
            loss = tf.reduce_mean(tf.gather(w, rows) * loss)
        for value, gradient in zip(theta, tape.gradient(loss, theta)):
            value.assign_sub(RATE * gradient)

    # The loop over the batches inside is faster than a call from Python for each.
    @tf.function
    def epoch(order):
        for first in tf.range(0, len(y), BATCH):
            step(order[first : first + BATCH])

    for _ in range(epochs):
        epoch(tf.constant(shuffle()))
        theta[0].numpy()
        tick()
    return scores(test[0]).numpy()


def keras(digits, epochs, tick):
    import keras

    x, y, w, _, _, test = digits
    model = keras.Sequential(
        [keras.Input((SIZES[0],))]
        + [keras.layers.Dense(size, activation="relu") for size in SIZES[1:-1]]
        + [keras.layers.Dense(SIZES[-1])]
    )
    model.compile(keras.optimizers.SGD(RATE), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    clock = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: tick())
    model.fit(x, y, sample_weight=w, batch_size=BATCH, epochs=epochs, shuffle=True, verbose=0, callbacks=[clock])
    return model.predict(test[0], verbose=0)


def jax(digits, epochs, tick):
    import jax
    import jax.numpy as jnp

    *data, start, shuffle, test = digits
    data, theta = jax.device_put((data, start))

    def scores(theta, a):
        a = jax.nn.relu(a @ theta[0] + theta[1])
        a = jax.nn.relu(a @ theta[2] + theta[3])
        return a @ theta[4] + theta[5]

    @jax.jit
    def epoch(theta, order, x, y, w):
        def loss(theta, rows):
            log_p = jax.nn.log_softmax(scores(theta, x[rows]))
            return -jnp.mean(w[rows] * jnp.take_along_axis(log_p, y[rows][:, None], 1)[:, 0])

        def step(theta, rows):
            gradient = jax.grad(loss)(theta, rows)
            return [value - RATE * slope for value, slope in zip(theta, gradient)], None

        whole = len(y) // BATCH * BATCH
        theta, _ = jax.lax.scan(step, theta, order[:whole].reshape(-1, BATCH))
        return step(theta, order[whole:])[0]  # the batch that is not full

    for _ in range(epochs):
        theta = jax.block_until_ready(epoch(theta, shuffle(), *data))
        tick()
    return scores(theta, test[0])


def torch(digits, epochs, tick, compiled=False):
    import torch

    torch.set_num_threads(1)
    x, y, w, start, shuffle, test = digits
    x, y, w = torch.tensor(x), torch.tensor(y, dtype=torch.long), torch.tensor(w)
    layers = []
    for matrix, bias in zip(start[::2], start[1::2]):
        layer = torch.nn.Linear(*matrix.shape)
        layer.weight.data, layer.bias.data = torch.tensor(matrix.T.copy()), torch.tensor(bias)
        layers += [layer, torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    optimiser = torch.optim.SGD(model.parameters(), lr=RATE)

    def loss(rows):
        return (w[rows] * torch.nn.functional.cross_entropy(model(x[rows]), y[rows], reduction="none")).mean()

    if compiled:
        loss = torch.compile(loss)
    for _ in range(epochs):
        for rows in torch.from_numpy(shuffle()).long().split(BATCH):
            optimiser.zero_grad()
            loss(rows).backward()
            optimiser.step()
        tick()
    with torch.no_grad():
        return model(torch.tensor(test[0])).numpy()


def torch_compile(digits, epochs, tick):
    return torch(digits, epochs, tick, compiled=True)


PEERS = {f.__name__: f for f in (tensorflow, jax, torch, torch_compile, keras)}


# A process for each network, on a core of its own -----------------------------------------------------


def prepare(shared_barrier):
    global barrier
    barrier = shared_barrier
    # Before the peer is imported: it looks at these once.
    os.environ.update(
        OMP_NUM_THREADS="1", TF_NUM_INTRAOP_THREADS="1", TF_NUM_INTEROP_THREADS="1", TF_CPP_MIN_LOG_LEVEL="3",
        CUDA_VISIBLE_DEVICES="-1", JAX_PLATFORMS="cpu", KERAS_BACKEND="tensorflow",
    )


def train(peer, network, epochs):
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[network % len(cores)]})
    times = []

    def tick():
        if not times:
            barrier.wait(PATIENCE)
        times.append((time.perf_counter(), time.process_time()))

    digits = load(network)
    try:
        scores = PEERS[peer](digits, epochs, tick)
    except BaseException:
        barrier.abort()
        raise
    accuracy = float((scores.argmax(1) == digits[5][1]).mean())
    share = (times[-1][1] - times[0][1]) / (times[-1][0] - times[0][0])
    return [after[0] - before[0] for before, after in zip(times, times[1:])], share, accuracy


def main(peer, networks, epochs):
    context = get_context("spawn")
    barrier = context.Barrier(networks)
    with ProcessPoolExecutor(networks, context, prepare, (barrier,)) as pool:
        runs = [pool.submit(train, peer, network, epochs) for network in range(networks)]
        runs = [run.result() for run in runs]
    times, shares, accuracies = zip(*runs)
    seconds = statistics.median(sum(times, [])) / networks
    print("peer", "networks", "seconds", "share", "accuracy", sep="\t")
    print(peer, networks, round(seconds, 4), round(min(shares), 3), round(statistics.mean(accuracies), 4), sep="\t")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
