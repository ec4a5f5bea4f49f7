"""Times Assay's kernels on an NVIDIA GPU beside PyTorch's own (cuBLAS behind its products), in one process and in turns.

In a folder that the command gpu/cuda/kernels/jobs has written. Prints the table of docs/performance.md: the median time of
each kernel, what it reaches, that as a share of the measured peak (the copy's bandwidth, or PyTorch's best f32 product),
and how many times as fast as the vendor's it is.
"""
import ctypes
import json
import statistics
import sys

import torch
import torch.nn.functional as F

LAUNCH_BYTES, THREADGROUPS, PARAMETERS = 640, 248, 384  # of msl_launch in abi.h
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
ROUNDS, ROUND_SECONDS = 9, 0.02

driver = ctypes.CDLL("libcuda.so.1")
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
torch.zeros(1, device="cuda")  # creates the context that is used below
stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


def check(code, what):
    if code:
        name = ctypes.c_char_p()
        driver.cuGetErrorName(code, ctypes.byref(name))
        raise RuntimeError(f"{what}: {name.value.decode()}")


def buffer(arg):
    """Random numbers for an argument; codes are random bytes, indices and labels zeros."""
    if not arg["Used"]:
        return None
    if arg["Type"] == "u32":
        return torch.zeros(max(arg["Len"], 1), device="cuda", dtype=torch.int32)
    if arg["Type"] in TYPES:
        return (torch.rand(arg["Len"], device="cuda") * 2 - 1).to(TYPES[arg["Type"]])
    return torch.randint(0, 256, (max(arg["Size"], 4),), device="cuda", dtype=torch.uint8)


class Kernel:
    def __init__(self, job):
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        with open(job["PTX"], "rb") as f:
            check(driver.cuModuleLoadData(ctypes.byref(module), f.read() + b"\0"), "load")
        check(driver.cuModuleGetFunction(ctypes.byref(self.function), module, job["Kernel"].encode()), "find")
        self.geometry = job["Groups"] + job["Threads"]
        self.shared = sum(job["Shared"] or [])
        if self.shared > 48 << 10:
            check(driver.cuFuncSetAttribute(self.function, 8, self.shared), "threadgroup memory")

    def bind(self, job, buffers):
        launch = bytearray(LAUNCH_BYTES)
        for i, b in enumerate(buffers):
            if b is not None:
                launch[8 * i : 8 * i + 8] = b.data_ptr().to_bytes(8, "little")
        offset = 0
        for i, size in enumerate(job["Shared"] or []):
            launch[THREADGROUPS + 4 * i : THREADGROUPS + 4 * i + 4] = offset.to_bytes(4, "little")
            offset += size
        parameters = bytes.fromhex(job["Bytes"])
        launch[PARAMETERS : PARAMETERS + len(parameters)] = parameters
        self.launch = (ctypes.c_char * LAUNCH_BYTES).from_buffer_copy(bytes(launch))
        self.arguments = (ctypes.c_void_p * 1)(ctypes.addressof(self.launch))

    def __call__(self):
        check(driver.cuLaunchKernel(self.function, *self.geometry, self.shared, stream, self.arguments, None), "launch")


def rows(job, b):
    return b.view(job["Params"]["Rows"], job["Params"]["Cols"])


def product(job, b):
    p = job["Params"]
    right = b[1].view(p["N"], p["K"]).t() if "transpose_b=1" in job["Key"] else b[1].view(p["K"], p["N"])
    left, out = b[0].view(p["M"], p["K"]), torch.empty(p["M"], p["N"], device="cuda", dtype=b[0].dtype)
    return lambda: torch.matmul(left, right, out=out)


def batch_of_products(job, b):
    p = job["Params"]
    left, right = b[0].view(p["Batch"], p["M"], p["K"]), b[1].view(p["Batch"], p["K"], p["N"])
    out = b[3].view(p["Batch"], p["M"], p["N"])
    return lambda: torch.bmm(left, right, out=out)


def product_bias_relu(job, b):
    p = job["Params"]
    left, right = b[0].view(p["M"], p["K"]), b[1].view(p["K"], p["N"])
    return lambda: F.relu(torch.addmm(b[2], left, right))


def attention(job, b, **options):
    p = job["Params"]
    q, k, v = (x.view(1, p["Heads"], -1, p["Dim"]) for x in b[:3])
    return lambda: F.scaled_dot_product_attention(q, k, v, **options)


def convolution(job, b):
    p = job["Params"]
    x, filters = b[0].view(p["N"], p["C"], p["H"], p["W"]), b[1].view(p["O"], p["C"], p["Side"], p["Side"])
    return lambda: F.conv2d(x, filters, stride=p["Stride"], padding=p["Pad"])


def images(job, b):
    """The images of a job, innermost channels last in memory, as the kernels have them."""
    p = job["Params"]
    return b[0].view(p["N"], p["H"], p["W"], p["C"]).permute(0, 3, 1, 2)


def resize(job, b):
    x, p = images(job, b), job["Params"]
    return lambda: F.interpolate(x, size=(p["OutH"], p["OutW"]), mode="bilinear", align_corners=False)


def blur(job, b):
    x, channels = images(job, b), job["Params"]["C"]
    row = torch.tensor([0.25, 0.5, 0.25], device="cuda")
    weights = (row[:, None] * row[None, :]).expand(channels, 1, 3, 3).contiguous()
    return lambda: F.conv2d(x, weights, padding=1, groups=channels)


def normalize(job, b):
    x = b[0].view(-1, job["Params"]["Channels"])
    return lambda: x * b[1] + b[2]


def gray(job, b):
    x = b[0].view(-1, job["Params"]["Channels"])
    weights = torch.tensor([0.299, 0.587, 0.114], device="cuda")
    return lambda: torch.mv(x, weights)


def add_channel(job, b):
    p = job["Params"]
    x, bias = b[0].view(p["D0"], p["D1"], p["D2"], p["D3"]), b[1].view(1, -1, 1, 1)
    return lambda: x + bias


def add_layernorm(job, b):
    cols = job["Params"]["Cols"]
    x, y = b[0].view(-1, cols), b[1].view(-1, cols)

    def run():
        total = x + y
        return total, F.layer_norm(total, (cols,), b[2], b[3])

    return run


# The vendor's implementations, by name: a function of the job and its buffers that returns what to time.
VENDOR = {
    "copy": lambda job, b: lambda: b[1].copy_(b[0]),
    "triad": lambda job, b: lambda: torch.add(b[0], b[1], alpha=3.0, out=b[2]),
    "add": lambda job, b: lambda: torch.add(b[0], b[1], out=b[2]),
    "mul": lambda job, b: lambda: torch.mul(b[0], b[1], out=b[2]),
    "relu": lambda job, b: lambda: F.relu(b[0]),
    "gelu": lambda job, b: lambda: F.gelu(b[0], approximate="tanh"),
    "gelu_erf": lambda job, b: lambda: F.gelu(b[0]),
    "silu": lambda job, b: lambda: F.silu(b[0]),
    "silu_mul": lambda job, b: lambda: F.silu(b[0]) * b[1],
    "add_bias": lambda job, b: lambda: rows(job, b[0]) + b[1],
    "sum": lambda job, b: lambda: b[0].sum(),
    "max": lambda job, b: lambda: b[0].max(),
    "softmax": lambda job, b: lambda: F.softmax(rows(job, b[0]), dim=-1),
    "layernorm": lambda job, b: lambda: F.layer_norm(rows(job, b[0]), (job["Params"]["Cols"],), b[1], b[2]),
    "rmsnorm": lambda job, b: lambda: F.rms_norm(rows(job, b[0]), (job["Params"]["Cols"],), b[1]),
    "add_relu": lambda job, b: lambda: F.relu(b[0] + b[1]),
    "affine": lambda job, b: lambda: b[0] * b[1] + b[2],
    "add_channel": add_channel,
    "add_layernorm": add_layernorm,
    "argmax": lambda job, b: lambda: b[0].argmax(),
    "resize": resize,
    "normalize": normalize,
    "blur": blur,
    "gray": gray,
    "relu_grad": lambda job, b: lambda: torch.ops.aten.threshold_backward(b[1], b[0], 0),
    "sgd": lambda job, b: lambda: b[0].add_(b[1], alpha=-0.01),
    "column_sum": lambda job, b: lambda: rows(job, b[0]).sum(0),
    "matmul": product,
    "matmul_bias_relu": product_bias_relu,
    "matmul_batch": batch_of_products,
    "conv2d": convolution,
    "attention": attention,
    "attention_causal": lambda job, b: attention(job, b, is_causal=True),
}


def seconds(run, count):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(count):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / count


def in_turns(runs):
    """The median time of each, measured in turns; and that of the ratios of the last to the first."""
    counts = []
    for run in runs:
        seconds(run, 1)
        counts.append(max(1, min(2000, int(ROUND_SECONDS / max(seconds(run, 3), 1e-6)))))
    times = [[] for _ in runs]
    for i in range(ROUNDS):
        order = range(len(runs)) if i % 2 == 0 else reversed(range(len(runs)))
        for r in order:
            times[r].append(seconds(runs[r], counts[r]))
    ratio = statistics.median(last / first for first, last in zip(times[0], times[-1]))
    return [statistics.median(t) for t in times], ratio


def measure(job):
    kernel, buffers = Kernel(job), [buffer(a) for a in job["Args"]]
    kernel.bind(job, buffers)
    runs = [kernel]
    if job["Vendor"]:
        runs.append(VENDOR[job["Vendor"]](job, buffers))
    return in_turns(runs)


def main():
    jobs = json.load(open("jobs.json"))
    done = []
    for job in jobs:
        times, ratio = measure(job)
        done.append((job, times, ratio))
        print(job["Label"], times, file=sys.stderr, flush=True)
    copied = next(j["Moved"] / t[0] for j, t, _ in done if j["Vendor"] == "copy")
    copied = max(copied, next(j["Moved"] / t[1] for j, t, _ in done if j["Vendor"] == "copy"))
    multiplied = max(j["Ops"] / t[1] for j, t, _ in done if j["Vendor"] == "matmul" and "f32" in j["Kernel"])
    print(f"Peaks: copy {copied / 1e12:.2f} TB/s, f32 product {multiplied / 1e12:.1f} TFLOP/s ({torch.cuda.get_device_name()}, "
          f"PyTorch {torch.__version__}).\n")
    print("| | GPU time | reaches | of the peak | vendor’s time | as fast as the vendor |\n|---|---|---|---|---|---|")
    for job, times, ratio in done:
        arithmetic = job["Ops"] / multiplied > job["Moved"] / copied
        reached = job["Ops"] / times[0] / 1e12 if arithmetic else job["Moved"] / times[0] / 1e12
        share = reached * 1e12 / (multiplied if arithmetic else copied)
        vendor = (f"{times[1] * 1e3:.4f} ms", f"{ratio:.2f} ×") if len(times) > 1 else ("", "")
        print(f"| {job['Label']} | {times[0] * 1e3:.4f} ms | {reached:.2f} {'TFLOP/s' if arithmetic else 'TB/s'} | "
              f"{100 * share:.0f} % | {vendor[0]} | {vendor[1]} |")


main()
